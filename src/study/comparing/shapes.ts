/**
 * The common part of documents that compare runs, as zod shapes: the runs of both sides, and what
 * changed between them. Times are in milliseconds.
 */
import { crewPlace } from '../../execution/record/crew-place.ts'
import { ENGINES } from '../../base/options/engines.ts'
import { z } from 'zod'
import { quantity, verdict } from '../../result/document.ts'
import { count, ms } from '../frame/envelope.ts'

const UNDECIDED = ['unmeasured', 'missing', 'units', 'one-run', 'never', 'too-few'] as const

const run = z.object({
  folder: z.string().describe('The name that was given'),
  id: z.string(),
  scenario: z.string(),
  engine: z.enum(ENGINES),
  place: crewPlace,
  startedAt: z.iso.datetime(),
  seed: z.number(),
  arrivals: count,
  outcome: verdict.shape.outcome.describe('The verdict of the run itself'),
})

export const typical = z
  .union([z.number(), z.literal('never')])
  .nullable()
  .describe(
    'The value to which `change` refers. For a share, over all runs together. Otherwise the ' +
      'geometric mean of the runs, or their median if one of them has no logarithm',
  )

const side = z.object({
  median: z
    .union([z.number(), z.literal('never')])
    .nullable()
    .describe(
      'Median of the runs; `never` if most of them have none; null if nothing was measured',
    ),
  low: z
    .number()
    .nullable()
    .describe(
      '95 % interval of the median: by ranks from 6 runs on; for a single run, its own ' +
        'interval',
    ),
  high: z.number().nullable(),
  typical,
  overall: z.number().nullable().describe('For a share: over all runs together'),
  runs: count.describe('Runs that measured it'),
})

const interval = {
  low: z.number().nullable().describe('95 % interval; null if the runs allow none'),
  high: z.number().nullable(),
}

export const change = z
  .union([
    z.object({ ratio: z.number().describe('New divided by base: 1.1 is 10 % more'), ...interval }),
    z.object({ difference: z.number().describe('New minus base, of shares'), ...interval }),
  ])
  .nullable()
  .describe('Null if there is none: a side is `never` or 0, or the runs are too few')

const compared = z.object({
  name: z.string(),
  unit: quantity.shape.unit,
  judged: z.boolean().describe('Whether it affects the verdict'),
  base: side,
  new: side,
  change,
  p: z
    .number()
    .nullable()
    .describe('Two-sided, adjusted by Holm over the judged metrics; unadjusted for the others'),
  significant: z
    .boolean()
    .describe(
      'Judged, p under the level (in a gate, of the look), and at least the smallest change that ' +
        'counts',
    ),
  direction: z
    .enum(['worse', 'better', 'other'])
    .nullable()
    .describe('Direction of the change; `other` for a metric without a worse direction'),
  equal: z
    .boolean()
    .nullable()
    .describe('Proven to be within the margin of `--equivalent`; null if that was not requested'),
  undecided: z
    .enum(UNDECIDED)
    .nullable()
    .describe(
      'Why these runs cannot decide. A side did not measure it. More runs of the new side than of ' +
        'the base lack it. The runs have different units. A side has one run. More runs of the new ' +
        'side, or most of both, are `never`. The sides lie apart, but so few runs cannot prove it',
    ),
  detectable: z
    .number()
    .nullable()
    .describe(
      'The change that this many runs would find four times in five. A share of the base, or ' +
        'a difference of shares',
    ),
  moreRuns: count
    .nullable()
    .describe(
      'Approximate number of further runs per side that would prove the observed change, or the ' +
        'smallest that counts. 0 if these runs would have shown it; null if it is proven, or unknown',
    ),
})

const reached = z.object({
  ms: ms.describe('Of the typical run: the geometric mean of the runs'),
  low: z
    .number()
    .nullable()
    .describe('95 % band of the whole curve; for a single run, its own interval'),
  high: z.number().nullable(),
})

/** The outcomes of a comparison. */
export const CHANGES = [
  'regression',
  'improvement',
  'equal',
  'none-proven',
  'not-comparable',
] as const

export const changes = {
  base: z.array(run),
  new: z.array(run),
  terms: z.object({
    smallestChange: z.number().describe('A share of the base, for times, rates and counts'),
    smallestDifference: z.number().describe('For shares'),
    level: z.number().describe('Of all judged metrics together'),
    equivalent: z.number().nullable().describe('The margin of `--equivalent`, a share'),
    carryOver: z
      .boolean()
      .optional()
      .describe(
        'True if runs may resemble the run before, and intervals of times allow for it. So in a ' +
          'gate against a stored baseline over real time',
      ),
  }),
  metrics: z.array(compared).describe('The judged ones first'),
  tags: z
    .record(z.string(), z.array(compared))
    .describe(
      'The judged metrics by tag, if both sides have the tag; they do not affect the verdict',
    ),
  curves: z
    .array(z.object({ q: z.number(), base: reached, new: reached }))
    .describe('The time end to end at the quantiles from the median on that all runs know'),
  shift: z
    .array(
      z.object({
        q: z.number(),
        ratio: z.number().describe('New divided by base, of the typical runs'),
        low: z.number().nullable().describe('95 % band: of all deciles together'),
        high: z.number().nullable(),
      }),
    )
    .describe('How each decile of the time end to end moved, of those that all runs know'),
}

const changesSchema = z.object(changes)

export type Changes = z.infer<typeof changesSchema>
export type ChangeOutcome = (typeof CHANGES)[number]
export type ShapesCompared = z.infer<typeof compared>
export type ComparedSide = z.infer<typeof side>
export type ComparedRun = z.infer<typeof run>
export type Change = NonNullable<ShapesCompared['change']>
export type Terms = Changes['terms']
export type Undecided = NonNullable<ShapesCompared['undecided']>
