/**
 * The document of an agreement, `agreement.json`: runs of one seed under several engines, and
 * whether they measured the same. Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity, verdict } from '../../analysis/document.ts'
import { outcome } from '../../execution/record/record.schema.ts'
import { count, envelope, ms, STUDY_ENDS, verdictOf } from '../frame/envelope.ts'

const share = z.number().describe('A share: 0.05 is 5 %')
const status = z
  .enum(['same', 'differs', 'too-few', 'not-known'])
  .describe('`too-few` and `not-known` mean neither the same nor different')
const time = z.enum(['execution', 'detectionDelay'])

const run = z.object({
  name: z.string().describe('As requested: `node:2`; unique'),
  folder: z.string().describe('The location of its own report, beside this document'),
  engine: z.enum(['node', 'virtual', 'k6']),
  instances: count,
  id: z.string(),
  durationMs: ms,
  stopped: z.enum(['drained', 'now', 'crashed']).nullable(),
  verdict,
  arrivals: count,
  warmUpArrivals: count,
  outcomes: z.record(outcome, count),
  schedule: z
    .object({ n: count, p50Ms: ms, p99Ms: ms, boundMs: ms, ok: z.boolean() })
    .nullable()
    .describe('Kickoffs compared with their intended times; null when none was sent'),
  ledger: z
    .object({ rows: count, agreed: count, disagreements: count, clockErrorMs: ms })
    .nullable()
    .describe(
      'Null when the ledger could not be read. `clockErrorMs`: the maximum error of ' +
        'a detection delay',
    ),
  curves: z
    .record(time, z.array(ms))
    .describe('Of the measured window: the value at each half per cent; empty without a value'),
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
  z
    .object({
      kind: z.literal('arrival-times'),
      name: z.literal('arrivalTimes'),
      status,
      compared: count,
      largestMicros: count.nullable(),
      boundMicros: count,
    })
    .describe(
      'Arrivals of the same index; `not-known` for closed clients, who start the next ' +
        'execution when the last one ended',
    ),
  z
    .object({
      kind: z.literal('quantile'),
      name: z.templateLiteral([time, '.', z.enum(['p50', 'p90', 'p95', 'p99'])]),
      status,
      reference: quantity,
      measured: quantity,
      differenceShare: share
        .nullable()
        .describe(
          'Measured minus reference, divided by the reference; null if one is missing or ' +
            'it is 0',
        ),
      allowedMs: ms
        .nullable()
        .describe(
          'Largest difference that counts as the same: the share of the bounds, plus the ' +
            'errors of both clock mappings for detection delays',
        ),
      wouldTell: count
        .nullable()
        .describe(
          'Approximate number of executions that would distinguish a difference from ' +
            'chance; null except for values with too few',
        ),
    })
    .describe(
      '`differs`: by more than is allowed, and the two 95 % intervals do not ' +
        'overlap; `too-few` if they do',
    ),
  z.object({
    kind: z.literal('distribution'),
    name: z.templateLiteral([time, '.distribution']),
    status,
    test: test.nullable(),
    beyond: test
      .nullable()
      .describe(
        'The same for executions whose times differ by more than quantiles may; it decides',
      ),
    leastP: z.number(),
  }),
])

const comparison = z.object({
  reference: z.string(),
  run: z.string(),
  incomparable: z
    .string()
    .nullable()
    .describe('Why the two cannot be compared; there are then no aspects'),
  aspects: z.array(aspect),
  pairs: z
    .object({ n: count, sameArrival: count, medianMs: ms.nullable(), p95Ms: ms.nullable() })
    .nullable()
    .describe(
      'Executions of the two runs with the same kickoff id, and therefore the same ' +
        'draws of the fake crew; the absolute differences of their times end to end. ' +
        'They decide nothing',
    ),
})

const bounds = z.object({
  quantileShare: share.describe('How much a quantile may differ, as a share of the reference'),
  leastP: z.number().describe('Below this p, two distributions are considered different'),
  arrivalMicros: count.describe('The most by which arrival times with the same index may differ'),
})

export const agreementSchema = z.object({
  ...envelope('agreement', 2),
  ended: z
    .enum(STUDY_ENDS)
    .default('complete')
    .describe('As in every study; documents of before have none'),
  scenario: z.string(),
  seed: z.number(),
  speed: z.number(),
  verdict: verdictOf(['agree', 'differ', 'invalid', 'inconclusive']),
  bounds,
  trials: z.array(run).describe('The runs in their order; the first is the reference'),
  comparisons: z.array(comparison).describe('Each other run compared with the reference'),
})

export type AgreementDocument = z.infer<typeof agreementSchema>
export type AgreementVerdict = AgreementDocument['verdict']
export type AgreementBounds = z.infer<typeof bounds>
export type AgreementRun = z.infer<typeof run>
export type KickoffSchedule = NonNullable<AgreementRun['schedule']>
/**
 * End to end, and from the true end until the client knew it: for executions whose end was
 * observed.
 */
export type TimeName = z.infer<typeof time>
export type Comparison = z.infer<typeof comparison>
export type Pairs = NonNullable<Comparison['pairs']>
export type AspectStatus = z.infer<typeof status>
export type Aspect = z.infer<typeof aspect>
export type CountAspect = Extract<Aspect, { kind: 'count' }>
export type ArrivalTimesAspect = Extract<Aspect, { kind: 'arrival-times' }>
export type QuantileAspect = Extract<Aspect, { kind: 'quantile' }>
export type DistributionAspect = Extract<Aspect, { kind: 'distribution' }>
