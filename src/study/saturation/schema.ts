/** The document of a saturation as a zod schema, published as JSON Schema. */
import { z } from 'zod'
import type { SaturationDocument } from './document.ts'
import type { Exactly } from '../../base/exactly.ts'
import { proven } from '../../base/exactly.ts'
import { quantity } from '../../measure/schema/result.ts'

const count = z.int()
const ms = z.number().describe('Milliseconds')

const run = z.object({
  id: z.string(),
  endpoint: z.enum(['inputs', 'status', 'kickoff']),
  target: z.string(),
  profile: z.string().nullable(),
  ladder: z.array(count),
  rungMs: ms,
  warmUpMs: ms,
  timeoutMs: ms,
  pollingMs: z.array(ms),
  budget: z.object({ requests: count.nullable(), kickoffs: count.nullable() }),
  ended: z.enum(['complete', 'budget', 'errors', 'interrupted', 'target']),
  startedAt: z.iso.datetime(),
  durationMs: ms,
  command: z.string().nullable(),
  node: z.string(),
})

const verdict = z.object({
  outcome: z.enum(['measured', 'inconclusive', 'invalid']),
  atLeast: z.boolean(),
  reasons: z.array(z.object({ code: z.string(), message: z.string(), remedy: z.string() })),
  sentence: z.string(),
})

const feed = z.union([
  z.object({ kind: z.literal('polling'), intervalMs: ms, inFlight: z.number() }),
  z.object({ kind: z.literal('kickoffs'), perHour: z.number() }),
])

const rung = z.object({
  connections: count,
  windowMs: ms,
  throughput: quantity,
  latency: z.object({
    p50: quantity,
    p95: quantity,
    p99: quantity,
    maxMs: ms.nullable(),
    meanMs: ms.nullable(),
  }),
  requests: count,
  errors: quantity,
  errorClasses: z.array(z.object({ class: z.string(), count })),
  little: z.object({ connections: z.number(), residual: z.number() }),
  utilisation: z.number().nullable(),
  reconnects: count,
  endedBy: z.enum(['time', 'budget', 'stopped']),
  sent: count,
  doubts: z.array(
    z.object({
      code: z.enum(['few', 'short', 'little', 'generator', 'errors']),
      message: z.string(),
    }),
  ),
})

const saturationSchema = z.object({
  schema: z.literal('crewload/saturation/1'),
  crewload: z.string(),
  run,
  verdict,
  ceiling: z.object({ throughput: quantity, connections: count }).nullable(),
  knee: z
    .object({
      connections: count,
      above: count.nullable(),
      plateauTo: count,
      ideal: z.number().nullable(),
    })
    .nullable(),
  feeds: z.array(feed),
  rungs: z.array(rung),
  spent: z.object({ requests: count, kickoffs: count }),
  findings: z.array(
    z.object({ severity: z.enum(['info', 'warning', 'problem']), message: z.string() }),
  ),
})

proven(true satisfies Exactly<z.infer<typeof saturationSchema>, SaturationDocument>)

/** JSON Schema (2020-12) of `saturation.json`. */
export function saturationJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload saturation',
    description:
      'The document of one saturation, schema crewload/saturation/1: the closed-loop ceiling of one endpoint by a ladder of connections.',
    ...z.toJSONSchema(saturationSchema),
  }
}
