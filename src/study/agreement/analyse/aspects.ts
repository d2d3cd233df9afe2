/** The aspects by which two runs of one seed are compared. */
import { OUTCOMES } from '../../../execution/record/record.ts'
import type { Outcome } from '../../../execution/record/record.ts'
import { canonicalJson } from '../../../scenario/describe.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type {
  AgreementBounds,
  ArrivalTimesAspect,
  Aspect,
  Comparison,
  CountAspect,
  DistributionAspect,
  Pairs,
  QuantileAspect,
  TimeName,
} from '../document.ts'
import type { Quantity, ResultDocument } from '../../../analysis/document.ts'
import { finite } from '../../../analysis/statistics/quantiles.ts'
import { kolmogorovSmirnov, smallestP } from '../../../analysis/statistics/kolmogorov-smirnov.ts'
import { quantileOf } from '../../../analysis/statistics/quantiles.ts'

/** One of the compared runs: its document, and data of its journal that the document lacks. */
export interface ComparedRun {
  /** The name, unique among the runs. */
  name: string
  /** The folder of the run, relative to the agreement's. */
  folder: string
  document: ResultDocument
  executions: readonly ToldExecution[]
  /** The detection delays of the measured window: from the ledger, or the upper bounds by polls. */
  detectionMicros: readonly Micros[]
  /**
   * The maximum error of a delay from the ledger: its clock's mapping plus the anchors of the
   * instances.
   */
  clockErrorMicros: Micros
}

/** One arrival, including those of the warm-up. */
export interface ToldExecution {
  index: number
  warmUp: boolean
  kickoffId: string | null
  outcome: Outcome
  /** Kickoffs that were sent for it. */
  attempts: number
  intendedMicros: Micros
  /** The lateness of its first kickoff; null when it was never sent. */
  lateMicros: Micros | null
  /** From the intended time until the end was known; null when the end was not observed. */
  executionMicros: Micros | null
}

const QUANTILES = ['p50', 'p90', 'p95', 'p99'] as const

/** Compares `other` with `reference`. */
export function compare(
  reference: ComparedRun,
  other: ComparedRun,
  bounds: AgreementBounds,
): Comparison {
  const names = { reference: reference.name, run: other.name }
  const incomparable = whyIncomparable(reference, other)
  if (incomparable !== null) return { ...names, incomparable, aspects: [], pairs: null }
  const arrivals = arrivalsOf(reference)
  return {
    ...names,
    incomparable: null,
    aspects: [
      count('arrivals', reference.executions.length, other.executions.length, arrivals.counted),
      arrivalTimes(reference, other, bounds, arrivals.timed),
      ...outcomes(reference, other, arrivals.counted),
      ...quantiles('execution', reference, other, bounds),
      distribution('execution', [executionTimes(reference), executionTimes(other)], bounds, 0),
      ...detection(reference, other, bounds),
    ],
    pairs: pairs(reference, other),
  }
}

function whyIncomparable(reference: ComparedRun, other: ComparedRun): string | null {
  const [a, b] = [reference.document.run, other.document.run]
  if (!isSamePlan(reference, other) || a.seed !== b.seed) {
    return 'the scenario changed between the two runs: their plans are not the same'
  }
  const cut = [reference, other].find(({ document }) => document.run.stopped !== null)
  return cut === undefined ? null : `${cut.name} did not run to its end`
}

/**
 * Whether the plans are the same except for the budget: each run has what the previous ones left of
 * the study's.
 */
function isSamePlan(a: ComparedRun, b: ComparedRun): boolean {
  if (a.document.run.planHash === b.document.run.planHash) return true
  const withoutBudget = ({ document: { plan } }: ComparedRun): string =>
    canonicalJson({ ...(plan as object), budget: null })
  return withoutBudget(a) === withoutBudget(b)
}

/**
 * Closed clients start the next execution when the previous one has ended: their times follow no
 * schedule, and without a number of iterations neither does their count.
 */
function arrivalsOf({ document }: ComparedRun): { timed: boolean; counted: boolean } {
  const plan = document.plan as { arrivals?: { kind?: unknown; iterations?: unknown } } | null
  const timed = plan?.arrivals?.kind !== 'closed'
  return { timed, counted: timed || typeof plan?.arrivals?.iterations === 'number' }
}

function count(
  name: CountAspect['name'],
  reference: number,
  measured: number,
  known: boolean,
): CountAspect {
  const status = !known ? 'not-known' : reference === measured ? 'same' : 'differs'
  return { kind: 'count', name, status, reference, measured }
}

function arrivalTimes(
  reference: ComparedRun,
  other: ComparedRun,
  { arrivalMicros: boundMicros }: AgreementBounds,
  timed: boolean,
): ArrivalTimesAspect {
  const intended = new Map(
    reference.executions.map(({ index, intendedMicros }) => [index, intendedMicros]),
  )
  let [compared, largest] = [0, 0]
  for (const { index, intendedMicros } of other.executions) {
    const expected = intended.get(index)
    if (expected === undefined) continue
    compared++
    largest = Math.max(largest, Math.abs(intendedMicros - expected))
  }
  const known = timed && compared > 0
  return {
    kind: 'arrival-times',
    name: 'arrivalTimes',
    status: !known ? 'not-known' : largest <= boundMicros ? 'same' : 'differs',
    compared,
    largestMicros: known ? largest : null,
    boundMicros,
  }
}

/** Counts every arrival, warm-up included; outcomes that occurred in neither run are omitted. */
function outcomes(reference: ComparedRun, other: ComparedRun, counted: boolean): CountAspect[] {
  const [a, b] = [outcomesOf(reference), outcomesOf(other)]
  return OUTCOMES.filter((outcome) => a[outcome] + b[outcome] > 0).map((outcome) =>
    count(`outcome.${outcome}`, a[outcome], b[outcome], counted),
  )
}

function quantiles(
  time: TimeName,
  reference: ComparedRun,
  other: ComparedRun,
  { quantileShare }: AgreementBounds,
): QuantileAspect[] {
  const clockErrors = (reference.clockErrorMicros + other.clockErrorMicros) / MICROS_PER_MS
  const slackMs = time === 'detectionDelay' ? clockErrors : 0
  return QUANTILES.map((quantile) => {
    const name = `${time}.${quantile}` as const
    const metrics = { reference: metricOf(reference, name), measured: metricOf(other, name) }
    return quantileAspect(name, metrics, { quantileShare, slackMs })
  })
}

/** The values are those of the runs' own reports, so that the same number appears everywhere. */
function quantileAspect(
  name: QuantileAspect['name'],
  metrics: Pick<QuantileAspect, 'reference' | 'measured'>,
  { quantileShare, slackMs }: { quantileShare: number; slackMs: number },
): QuantileAspect {
  const aspect = { kind: 'quantile', name, ...metrics, wouldTell: null } as const
  const { reference, measured } = metrics
  if (reference.value === null || measured.value === null) {
    const few = [reference, measured].some(({ n, needed }) => needed !== null && n < needed)
    const status = few ? 'too-few' : 'not-known'
    return { ...aspect, status, differenceShare: null, allowedMs: null }
  }
  const difference = measured.value - reference.value
  const allowedMs = quantileShare * reference.value + slackMs
  const isSame = Math.abs(difference) <= allowedMs
  const isProven = !isSame && !overlap(reference, measured)
  return {
    ...aspect,
    status: isSame ? 'same' : isProven ? 'differs' : 'too-few',
    differenceShare: reference.value === 0 ? null : difference / reference.value,
    allowedMs,
    wouldTell: isSame || isProven ? null : enoughFor(reference, measured, allowedMs),
  }
}

/**
 * Intervals that do not overlap show a difference; two 95 % intervals fail to touch by chance in
 * less than 1 % of cases.
 */
function overlap(a: Quantity, b: Quantity): boolean {
  return (
    (a.low ?? -Infinity) <= (b.high ?? Infinity) && (b.low ?? -Infinity) <= (a.high ?? Infinity)
  )
}

/**
 * The width of an interval falls with the square root of n: the n at which both together are no
 * wider than the allowed difference.
 */
function enoughFor(a: Quantity, b: Quantity, allowedMs: number): number | null {
  const n = Math.min(a.n, b.n) * (Math.hypot(halfWidth(a), halfWidth(b)) / allowedMs) ** 2
  return Number.isFinite(n) ? Number(Math.max(n, Math.min(a.n, b.n) + 1).toPrecision(2)) : null
}

function halfWidth({ low, high }: Quantity): number {
  return low === null || high === null ? NaN : (high - low) / 2
}

const UNMEASURED: Quantity = { value: null, unit: 'ms', low: null, high: null, n: 0, needed: null }

/** An event that not every execution reached has no time to compare; the outcomes show it. */
function metricOf({ document }: ComparedRun, name: string): Quantity {
  const metric = document.metrics[name]
  if (metric === undefined) return UNMEASURED
  const { value, unit, low, high, n, needed } = metric
  return { value: finite(value), unit, low: finite(low), high: finite(high), n, needed }
}

function distribution(
  time: TimeName,
  [reference, measured]: readonly [readonly Micros[], readonly Micros[]],
  { leastP, quantileShare }: AgreementBounds,
  extra: Micros,
): DistributionAspect {
  const aspect = { kind: 'distribution', name: `${time}.distribution`, leastP } as const
  if (smallestP(reference.length, measured.length) > leastP) {
    return { ...aspect, status: 'too-few', test: null, beyond: null }
  }
  const test = kolmogorovSmirnov(reference, measured)
  const beyond = kolmogorovSmirnov(reference, measured, { share: quantileShare, extra })
  return { ...aspect, status: beyond.p > leastP ? 'same' : 'differs', test, beyond }
}

/** Delays from the ledger and bounds by polls are not comparable. */
function detection(reference: ComparedRun, other: ComparedRun, bounds: AgreementBounds): Aspect[] {
  const [a, b] = [reference.document.polling, other.document.polling]
  if (a.detectionSource !== b.detectionSource) return []
  return [
    ...quantiles('detectionDelay', reference, other, bounds),
    distribution(
      'detectionDelay',
      [reference.detectionMicros, other.detectionMicros],
      bounds,
      reference.clockErrorMicros + other.clockErrorMicros,
    ),
  ]
}

function pairs(reference: ComparedRun, other: ComparedRun): Pairs | null {
  const byId = new Map(
    reference.executions.flatMap((told) =>
      told.kickoffId === null ? [] : [[told.kickoffId, told] as const],
    ),
  )
  const found = other.executions.flatMap((told) => {
    const match = told.kickoffId === null ? undefined : byId.get(told.kickoffId)
    return match === undefined ? [] : [{ match, told }]
  })
  if (found.length === 0) return null
  const apart = ascending(
    found.flatMap(({ match, told }) =>
      match.executionMicros === null || told.executionMicros === null
        ? []
        : Math.abs(told.executionMicros - match.executionMicros),
    ),
  )
  const known = apart.length > 0
  return {
    n: found.length,
    sameArrival: found.filter(({ match, told }) => match.index === told.index).length,
    medianMs: known ? atShare(apart, 0.5) / MICROS_PER_MS : null,
    p95Ms: known ? atShare(apart, 0.95) / MICROS_PER_MS : null,
  }
}

/** The outcomes of all arrivals. */
export function outcomesOf({ executions }: ComparedRun): Record<Outcome, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  for (const { outcome } of executions) counts[outcome]++
  return counts
}

/** The execution times of the measured window, where the end was observed. */
export function executionTimes({ executions }: ComparedRun): Micros[] {
  return executions.flatMap(({ warmUp, executionMicros }) =>
    warmUp ? [] : (executionMicros ?? []),
  )
}

export function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

/** The value at a share, 0 to 1, of `sorted`, which must not be empty. */
export function atShare(sorted: readonly number[], share: number): number {
  return quantileOf(sorted, share)!
}
