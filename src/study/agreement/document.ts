/** The document of an agreement, `agreement.json`: runs of one seed under several engines, and whether they tell the same story. */
import type { Outcome } from '../../execution/record.ts'
import type { Quantity, RunInfo, Verdict } from '../../analysis/document.ts'
import type { KolmogorovSmirnov } from '../../analysis/statistics/kolmogorov-smirnov.ts'

export interface AgreementDocument {
  schema: 'crewload/agreement/1'
  crewload: string
  scenario: string
  /** `fake crew "default"`: each run had a fresh one of the same seed. */
  profile: string
  seed: number
  speed: number
  /** ISO 8601, UTC: of the first run. */
  startedAt: string
  bounds: AgreementBounds
  verdict: AgreementVerdict
  /** In the order they ran; the first is the reference. */
  runs: AgreementRun[]
  /** Each other run against the reference. */
  comparisons: Comparison[]
  /** What repeats it, free of secrets; null where it was not started from the command line. */
  command: string | null
}

export interface AgreementBounds {
  /** By how much of the reference's value a quantile may differ: a share. */
  quantileShare: number
  /** Below this p, two distributions are told apart. */
  leastP: number
  /** By index, arrival times may differ by this. */
  arrivalMicros: number
}

/**
 * `invalid`: one of the runs cannot be trusted. `differ`: a measured aspect lies beyond its bound, or a run does not agree with its own ledger.
 * `inconclusive`: nothing differs, and something that matters could not be compared.
 */
export interface AgreementVerdict {
  outcome: 'agree' | 'differ' | 'invalid' | 'inconclusive'
  /** Why it is not `agree`. */
  reasons: string[]
  /** `Agree. node, virtual and k6 tell the same story: 600 arrivals ...` */
  sentence: string
}

export interface AgreementRun {
  /** `node:2`: as it was asked for; unique. */
  name: string
  /** Where its own report lies, beside the agreement's. */
  folder: string
  engine: RunInfo['engine']
  instances: number
  id: string
  durationMs: number
  stopped: RunInfo['stopped']
  verdict: Verdict
  arrivals: number
  warmUpArrivals: number
  outcomes: Record<Outcome, number>
  /** Kickoffs against their intended times; null when none was sent. */
  schedule: KickoffSchedule | null
  /** Null when the truth could not be read. `clockErrorMs`: the most by which a detection delay may be wrong. */
  ledger: { rows: number; agreed: number; disagreements: number; clockErrorMs: number } | null
  /** Of the measured window, for the figures: the value at each of `ECDF_SHARES`; empty without a value. */
  curves: Record<TimeName, number[]>
}

export interface KickoffSchedule {
  n: number
  p50Ms: number
  p99Ms: number
  boundMs: number
  ok: boolean
}

/** End to end, and true end to the moment the client knew it: of executions whose end was seen. */
export type TimeName = 'execution' | 'detectionDelay'

export interface Comparison {
  reference: string
  run: string
  /** Why the two cannot be compared at all; then there are no aspects. */
  incomparable: string | null
  aspects: Aspect[]
  pairs: Pairs | null
}

/** Executions of the two runs that carry the same kickoff id, and so the same draws of the fake crew. They decide nothing: the order of a queue may differ. */
export interface Pairs {
  n: number
  /** Of them, how many are the same arrival: close kickoffs may overtake each other. */
  sameArrival: number
  /** Of the difference of their times end to end, sign aside; null without a pair whose ends were seen. */
  medianMs: number | null
  p95Ms: number | null
}

/** `too-few` and `not-known` are neither the same nor different. */
export type AspectStatus = 'same' | 'differs' | 'too-few' | 'not-known'

export type Aspect = CountAspect | ArrivalTimesAspect | QuantileAspect | DistributionAspect

export interface CountAspect {
  kind: 'count'
  name: 'arrivals' | `outcome.${Outcome}`
  status: AspectStatus
  reference: number
  measured: number
}

export interface ArrivalTimesAspect {
  kind: 'arrival-times'
  name: 'arrivalTimes'
  /** `not-known` for closed clients: they start the next execution when the last one ended. */
  status: AspectStatus
  /** Arrivals of the same index. */
  compared: number
  largestMicros: number | null
  boundMicros: number
}

export interface QuantileAspect {
  kind: 'quantile'
  name: `${TimeName}.${'p50' | 'p90' | 'p95' | 'p99'}`
  /**
   * `same` within what is allowed; `differs` beyond it, when the two 95 % intervals do not overlap either; `too-few` beyond it when they do, or where
   * there is no value.
   */
  status: AspectStatus
  /** As each run's own report shows it. */
  reference: Quantity
  measured: Quantity
  /** Measured less reference, as a share of the reference; null where one is missing or the reference is 0. */
  differenceShare: number | null
  /** Largest difference that is the same: the share of the bounds, and for detection delays the errors of both clock mappings on top. */
  allowedMs: number | null
  /** About as many executions as would tell a difference from chance; null but for values that are too few for that. */
  wouldTell: number | null
}

export interface DistributionAspect {
  kind: 'distribution'
  name: `${TimeName}.distribution`
  /** By `beyond`. `too-few` when even samples without any overlap would not reach the bound. */
  status: AspectStatus
  test: KolmogorovSmirnov | null
  /** The same of what lies further apart than quantiles may: runs with a millisecond between them are told apart by `test` when polls bundle the times. */
  beyond: KolmogorovSmirnov | null
  leastP: number
}
