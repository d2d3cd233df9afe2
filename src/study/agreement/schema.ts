/** The document of an agreement as a zod schema, published as JSON Schema. */
import { z } from 'zod'
import type { AgreementDocument } from './document.ts'
import type { Exactly } from '../../base/exactly.ts'
import { proven } from '../../base/exactly.ts'
import { outcome } from '../../journal/record-schema.ts'
import { quantity, verdict } from '../../measure/schema/result.ts'

const count = z.int()
const ms = z.number().describe('Milliseconds')
const share = z.number().describe('A share: 0.05 is 5 %')
const status = z.enum(['same', 'differs', 'too-few', 'not-known'])
const time = z.enum(['execution', 'detectionDelay'])

const run = z.object({
  name: z.string(),
  folder: z.string(),
  engine: z.enum(['node', 'virtual', 'k6']),
  instances: count,
  id: z.string(),
  durationMs: ms,
  stopped: z.enum(['drained', 'now', 'crashed']).nullable(),
  verdict,
  arrivals: count,
  warmUpArrivals: count,
  outcomes: z.record(outcome, count),
  schedule: z.object({ n: count, p50Ms: ms, p99Ms: ms, boundMs: ms, ok: z.boolean() }).nullable(),
  ledger: z
    .object({ rows: count, agreed: count, disagreements: count, clockErrorMs: ms })
    .nullable(),
  curves: z.record(time, z.array(ms)),
})

const test = z.object({
  n: count,
  m: count,
  distance: share,
  p: z.number(),
  method: z.enum(['exact', 'asymptotic']),
})

const aspect = z.union([
  z.object({
    kind: z.literal('count'),
    name: z.union([z.literal('arrivals'), z.templateLiteral(['outcome.', outcome])]),
    status,
    reference: count,
    measured: count,
  }),
  z.object({
    kind: z.literal('arrival-times'),
    name: z.literal('arrivalTimes'),
    status,
    compared: count,
    largestMicros: count.nullable(),
    boundMicros: count,
  }),
  z.object({
    kind: z.literal('quantile'),
    name: z.templateLiteral([time, '.', z.enum(['p50', 'p90', 'p95', 'p99'])]),
    status,
    reference: quantity,
    measured: quantity,
    differenceShare: share.nullable(),
    allowedMs: ms.nullable(),
    wouldTell: count.nullable(),
  }),
  z.object({
    kind: z.literal('distribution'),
    name: z.templateLiteral([time, '.distribution']),
    status,
    test: test.nullable(),
    beyond: test.nullable(),
    leastP: z.number(),
  }),
])

const comparison = z.object({
  reference: z.string(),
  run: z.string(),
  incomparable: z.string().nullable(),
  aspects: z.array(aspect),
  pairs: z
    .object({ n: count, sameArrival: count, medianMs: ms.nullable(), p95Ms: ms.nullable() })
    .nullable(),
})

const agreementSchema = z.object({
  schema: z.literal('crewload/agreement/1'),
  crewload: z.string(),
  scenario: z.string(),
  profile: z.string(),
  seed: z.number(),
  speed: z.number(),
  startedAt: z.iso.datetime(),
  bounds: z.object({ quantileShare: share, leastP: z.number(), arrivalMicros: count }),
  verdict: z.object({
    outcome: z.enum(['agree', 'differ', 'invalid', 'inconclusive']),
    reasons: z.array(z.string()),
    sentence: z.string(),
  }),
  runs: z.array(run),
  comparisons: z.array(comparison),
  command: z.string().nullable(),
})

proven(true satisfies Exactly<z.infer<typeof agreementSchema>, AgreementDocument>)

/** JSON Schema (2020-12) of `agreement.json`. */
export function agreementJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload agreement',
    description:
      'Runs of one seed under several engines, each held against the first: schema crewload/agreement/1',
    ...z.toJSONSchema(agreementSchema),
  }
}
