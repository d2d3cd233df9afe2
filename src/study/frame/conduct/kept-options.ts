/** Options that several studies keep in their folders: each study's `kept` is made of them. */
import { z } from 'zod'

export const text = z.string().optional()
export const number = z.number().optional()
export const engine = z.enum(['node', 'virtual']).optional()
/** Outputs of k6 may contain secrets, so a resumed study has none. */
export const anyEngine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('node') }),
  z.object({ kind: z.literal('virtual'), network: text }),
  z.object({ kind: z.literal('k6'), vus: number, instances: number }),
])
const inputs = z.record(z.string(), z.unknown()).optional()
/** The options that determine where a study takes place. */
export const KEPT_PLACE = {
  target: text,
  profile: text,
  dialect: z.enum(['interface', 'platform']).optional(),
}

/** The options that say how requests get in there. */
export const KEPT_WAYS = { inputs, paths: inputs, members: inputs }

/** The options that determine what a study runs there, and what it may spend. */
export const KEPT_PLAN = {
  seed: number,
  speed: number,
  set: z.record(z.string(), z.string()).optional(),
  budget: z.object({ kickoffs: number, requests: number, wallMicros: number }).optional(),
  costPerKickoff: number,
  maxCost: number,
}
