/**
 * What a recovery test was asked for, as its folder keeps it: by it the same test is made again.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { loadProfile } from '../../../../fake-crew/profiles.ts'
import { hashText } from '../../../base/random.ts'
import { referenceOf } from '../../../run/plan/recipe.ts'
import { describePlan, planHash } from '../../../scenario/describe.ts'
import type { StudyRequest } from '../../frame/conduct/recipe.ts'
import type { RecoveryOptions } from '../plan/options.ts'
import type { Design } from '../plan/plan.ts'

const text = z.string().optional()
const number = z.number().optional()

/** Each has a meaning in every folder. */
const optionsSchema = z.object({
  target: text,
  profile: text,
  dialect: z.enum(['interface', 'platform']).optional(),
  engine: z.enum(['node', 'virtual']).optional(),
  network: text,
  trigger: text,
  triggerCommand: text,
  undoCommand: text,
  for: text,
  before: text,
  observe: text,
  within: text,
  seeds: number,
  control: z.boolean().optional(),
  bisect: z.boolean().optional(),
  seed: number,
  speed: number,
  set: z.record(z.string(), z.string()).optional(),
  budget: z.object({ kickoffs: number, requests: number, wallMicros: number }).optional(),
  costPerKickoff: number,
  maxCost: number,
})

export const askedSchema = z.object({
  /** A shipped name or an absolute path. */
  scenario: z.string(),
  options: optionsSchema,
  /** As the reports name it. */
  place: z.object({ target: z.string(), profile: z.string().nullable() }),
})

export async function requestOf(
  scenario: string,
  options: RecoveryOptions,
  design: Design,
): Promise<StudyRequest> {
  const { target, profile } = design.facts
  const asked: z.infer<typeof askedSchema> = {
    scenario: await referenceOf(scenario),
    options: optionsSchema.parse(fromAnywhere(options)),
    place: { target, profile },
  }
  return {
    asked,
    headers: Object.keys(options.headers ?? {}),
    fingerprint: fingerprintOf(design),
    command: options.command ?? null,
  }
}

/** Of the scenario's plan and of the profile. */
export function fingerprintOf({ plan, options: { profile } }: Design): string {
  const crew = profile === undefined ? '' : JSON.stringify(loadProfile(profile))
  return `${planHash(describePlan(plan))}-${hashText(crew).toString(16)}`
}

/** A profile or a network may be named by its path. */
function fromAnywhere(options: RecoveryOptions): RecoveryOptions {
  const { profile, network } = options
  return {
    ...options,
    ...(profile !== undefined && /[/\\]|\.ya?ml$/.test(profile)
      ? { profile: resolve(profile) }
      : {}),
    ...(network !== undefined && existsSync(network) ? { network: resolve(network) } : {}),
  }
}
