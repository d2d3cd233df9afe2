/**
 * The shapes that the document of a run shares with its findings and reasons: measured numbers,
 * judged thresholds, checks of the generator, and what the ledger says. Times in milliseconds.
 */
import { UNITS } from '../base/numbers.ts'
import { bound as writtenBound } from '../scenario/plan.schema.ts'
import { statusOrFailure } from '../scenario/target-loss.ts'
import { z } from 'zod'

export const count = z.int()
export const ms = z.number().describe('Milliseconds')

export const targetLoss = z.object({
  /** `dead`: 5xx, or no answer at all. `refused`: 401 or 403, and nothing else. */
  state: z.enum(['dead', 'refused']),
  /** `kickoffs`: polls were still answered. */
  scope: z.enum(['everything', 'kickoffs']),
  /**
   * The time of the first bad answer after the last good one, on the run's clock; `untilMs` is when
   * kickoffs stopped.
   */
  sinceMs: ms,
  untilMs: ms,
  /** Bad answers in that row, and the first and the last of them. */
  requests: count,
  first: statusOrFailure,
  last: statusOrFailure,
  /** The number of instances that found the target lost. */
  instances: count,
})
export type TargetLossResult = z.infer<typeof targetLoss>

export const reach = z
  .union([z.number(), z.literal('never')])
  .nullable()
  .describe('`never`: the event never came for the observation at this rank')

/** A measured or computed number with its uncertainty. */
export const quantity = z.object({
  /** Null when there is nothing to measure, or too few: then `needed` says how many it takes. */
  value: z.number().nullable(),
  unit: z.enum(UNITS),
  /** 95 % confidence interval; null where n does not allow one. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  n: count,
  /** Smallest n with a two-sided 95 % interval, for quantiles; null otherwise. */
  needed: count.nullable(),
})
export type Quantity = z.infer<typeof quantity>

/** A quantity of a run, which may be one that not everybody came to. */
export const metric = quantity.extend({
  /**
   * The value as in a quantity; `never` when the event never came for the observation at this rank.
   */
  value: reach,
  low: reach,
  high: reach,
  exceeds: z
    .number()
    .exactOptional()
    .describe(
      'For a quantile that is null because too few were seen to their end: what it is at least. ' +
        'Never less than `low`, nor than the value of a lower quantile',
    ),
  /** The number of the n observations that never had the event. */
  never: count,
  effective: z
    .number()
    .nullable()
    .describe(
      'Independent observations that would give as much information as the n dependent ones; ' +
        'null where there is no interval',
    ),
})
export type Metric = z.infer<typeof metric>

/** Why a threshold is undecided. `have` and `needed` count observations. */
const doubt = z.object({
  kind: z
    .enum([
      'interval',
      'few',
      'dependent',
      'load',
      'open',
      'paused',
      'varied',
      'hidden',
      'unreported',
    ])
    .describe(
      '`interval`: the bound lies inside it. `few`: too few observations. `dependent`: they count ' +
        'as fewer independent ones. `load`: the crew is so busy that it takes more. `open`: some ' +
        'have not ended. `paused`: some wait for a person. `varied`: the load varies by plan. ' +
        '`hidden`: behind what did not end. `unreported`: some report no tokens',
    ),
  have: count.nullable(),
  needed: count.nullable(),
})
export type Doubt = z.infer<typeof doubt>

const runLength = z
  .object({ times: z.number(), isBeyondPlan: z.boolean().describe('Longer than it was planned') })
  .nullable()
  .describe('How many times as long a run it takes; null: the run only has to finish')

/** What to do about a threshold that was not met. `n`: observations. */
const nextStep = z.discriminatedUnion('code', [
  z.object({
    code: z
      .enum(['look', 'lower-load', 'commonest-reason', 'instances-overlap'])
      .describe('`look`: where the metric of the miss says it'),
  }),
  z.object({ code: z.literal('resolve-doubt'), n: count }).describe('By what `doubt` says'),
  z.object({ code: z.literal('run-longer'), n: count, length: runLength }),
  z.object({ code: z.literal('measure-more'), n: count, more: count }),
  z.object({
    code: z.literal('narrow-interval'),
    n: count,
    more: count,
    length: runLength,
    bad: count.describe('Beyond the bound'),
    independent: count.describe('As how many independent ones they count'),
  }),
  z.object({ code: z.literal('let-finish'), n: count, open: count }),
  z.object({ code: z.enum(['few-more', 'equals-bound']) }),
])
export type NextStep = z.infer<typeof nextStep>
export type RunLength = z.infer<typeof runLength>

export const threshold = z.object({
  metric: z.string(),
  /** Divided in a time-lapse. */
  ...writtenBound,
  /** The bound, in the metric's unit. */
  bound: z.number(),
  status: z
    .enum(['met', 'missed', 'undecided', 'unmeasurable', 'notJudged'])
    .describe(
      '`undecided`: `doubt` says why; `notJudged`: the measurement is not valid, so it proves nothing',
    ),
  doubt: doubt.nullable(),
  /** `sample`: a statement about this run, which it decides. */
  judged: z.enum(['interval', 'value', 'sample']),
  /** `default`: a promise that every run is held to unless its scenario says otherwise. */
  source: z.enum(['scenario', 'default']),
  measured: metric,
  /**
   * How many more observations would settle what is undecided, at the present rate; null where none
   * is known.
   */
  more: count.nullable(),
  next: nextStep.nullable().describe('Null when met, or not judged'),
  /** The same in words. */
  hint: z.string().nullable(),
})
export type ThresholdResult = z.infer<typeof threshold>

/** What a valid measurement needs: the name of a check is the code of the reason if it fails. */
export const CHECKS = [
  'lateness',
  'utilisation',
  'little',
  'records',
  'journal',
  'clock',
  'scenario',
  'start',
  'admission',
] as const

/** Times with which lateness is compared: medians of the measured window. */
const yardstick = z.enum(['kickoff', 'status', 'execution', 'detectionDelay'])
export type Yardstick = z.infer<typeof yardstick>

export const lateBasis = z
  .object({ share: z.number(), of: yardstick, isCapped: z.boolean() })
  .describe('The share of a median from which a bound on lateness was made')

export const generatorCheck = z.object({
  name: z.enum(CHECKS).describe('Also the code of the reason if it fails'),
  unit: z.enum(UNITS),
  measured: z
    .number()
    .nullable()
    .describe('Null if it could not be measured: `why` says why, and it does not fail'),
  bound: z.number(),
  ok: z.boolean(),
  why: z
    .enum([
      'nothing-sent',
      'short-run',
      'unknown-host',
      'unfinished',
      'resumed',
      'no-journal',
      'no-beginning',
    ])
    .exactOptional(),
  worst: z
    .object({ instance: count, of: count, over: count })
    .exactOptional()
    .describe('Of several instances: whose value it is, and how many are over the bound'),
  basis: lateBasis.exactOptional(),
})
export type GeneratorCheck = z.infer<typeof generatorCheck>

export const disagreement = z.object({
  /**
   * `lost`: accepted for the client, unknown to the ledger. `duplicate`: several ledger rows for
   * one arrival. `wrong-id`: the id that the client was told is not that of the arrival's row.
   * `not-found`: 404 for the client, though the ledger has it. `forgotten`: 404 for the client, but
   * only after the end that the ledger has, and no fault made it so: its result was not kept for
   * long. `asked`: not found for the client while the crew asked a person. `not-asked`: paused for
   * the client, but the crew asked nobody. `never-ended`: the ledger has no end for what the client
   * calls completed. `wrong-result`: outcome or output differ. `unrecorded`: a ledger row that no
   * record claims.
   */
  kind: z.enum([
    'lost',
    'duplicate',
    'wrong-id',
    'not-found',
    'forgotten',
    'asked',
    'not-asked',
    'never-ended',
    'wrong-result',
    'unrecorded',
    'end-outside-interval',
  ]),
  count,
  examples: z.array(
    z.object({
      index: z.int().nullable(),
      kickoffId: z.string(),
      detail: z.string(),
    }),
  ),
})
export type LedgerDisagreement = z.infer<typeof disagreement>
/** Every kind of disagreement, in the order in which they are reported. */
export const DISAGREEMENTS = disagreement.shape.kind.options

/** Of one of the scenario's own functions. */
export const scenarioErrors = z.object({
  part: z.string().describe('`inputs`, `tags` or `checks.NAME`'),
  per: z.enum(['arrival', 'execution']).describe('What it is called for'),
  count,
  calls: count,
  first: z.object({ index: count, message: z.string() }).describe('Of the lowest index'),
})
export type ScenarioErrors = z.infer<typeof scenarioErrors>

/** Of completed executions in the measured window. Times are means. */
export const sharedWaits = z.object({
  executions: count,
  /** Those that were delayed by more than 5 % of their own time. */
  delayed: count,
  ownMs: ms.describe('What an execution would have taken alone'),
  quotaMs: ms.describe('The wait of its calls for a quota'),
  slowedMs: ms.describe('What a shared processor added'),
})
export type SharedWaits = z.infer<typeof sharedWaits>
