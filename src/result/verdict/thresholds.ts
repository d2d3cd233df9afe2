/**
 * Judges all thresholds of a run: the scenario's own and the default promises that it does not
 * replace.
 */
import { metricNamed, parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { ThresholdResult } from '../document.ts'
import { estimateMetric } from '../metrics/estimate-metric.ts'
import type { Measurable, Observations } from '../observations.ts'
import { rateShapeOf } from '../../scenario/arrivals/index.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import { countAgainst } from './bound-count.ts'
import type { CrewLoad } from '../metrics/crew-load.ts'
import { isMissedDespiteDrops, judge } from './judge.ts'
import type { RunReason } from '../sentences/reasons.ts'

type Judgeable = Measurable & Pick<Observations, 'runs' | 'finished'>

interface JudgedThresholds {
  thresholds: ThresholdResult[]
  /** Missed even if every arrival that the generator dropped had turned out good. */
  missedDespiteDrops: ThresholdResult[]
}

/**
 * A default promise about something that could not be measured here (no ledger, no end) is left
 * out. `invalid`: why the measurement cannot be trusted.
 */
export function judgeAll(
  { thresholds, arrivals }: Pick<PlanDocument, 'thresholds' | 'arrivals'>,
  observations: Judgeable,
  load: CrewLoad | null,
  invalid: readonly RunReason[] = [],
): JudgedThresholds {
  const { dropped, paused } = observations.window.outcomes
  const planned = plannedForEachSent(observations)
  const rate = rateShapeOf(arrivals)
  const judged = thresholds.map((threshold) => {
    const measured = estimateMetric(threshold.metric, observations)
    const count = countAgainst(threshold, observations, rate)
    const neededAtLoad =
      rate === 'steady' && dependsOnQueue(threshold.metric) ? (load?.needed ?? null) : null
    const isVaried = rate === 'varied'
    const isOverloaded =
      rate === 'steady' && load?.needed === Infinity && tellsOfWaiting(threshold.metric)
    const circumstances = { neededAtLoad, isOverloaded, paused, isVaried, planned }
    const result = judge(threshold, measured, count, circumstances)
    return { result, certain: isMissedDespiteDrops(threshold, count, dropped) }
  })
  const shown = judged.filter(
    ({ result }) => result.source !== 'default' || result.status !== 'unmeasurable',
  )
  return {
    thresholds: shown.map(({ result, certain }) =>
      isJudged(certain, invalid) ? result : { ...result, ...NOT_JUDGED },
    ),
    missedDespiteDrops: shown.filter(({ certain }) => certain).map(({ result }) => result),
  }
}

/** The reason of an INVALID run that a proven miss outweighs. */
export const ADMISSION = 'admission'

const NOT_JUDGED = { status: 'notJudged', doubt: null, more: null, next: null, hint: null } as const

/** A measurement that is not valid proves nothing, except a miss that drops do not excuse. */
function isJudged(isCertainMiss: boolean, invalid: readonly RunReason[]): boolean {
  return invalid.length === 0 || (isCertainMiss && invalid.every(({ code }) => code === ADMISSION))
}

function plannedForEachSent({ runs, finished, window }: Judgeable): number {
  if (finished.length < runs.length) return Infinity
  const sent = window.arrivals - window.outcomes.notReached
  return sent === 0 ? Infinity : window.arrivals / sent
}

const OF_WAITING: ReadonlySet<string> = new Set(['execution', 'completedExecution', 'unserved'])

/** Executions that wait too long for a worker miss its bound. */
function tellsOfWaiting(metric: string): boolean {
  return OF_WAITING.has(metricNamed(metric).kind)
}

/**
 * Quantiles of how long executions take: congestion makes their tail, and a short run may never
 * have seen it.
 */
export function dependsOnQueue(metric: string): boolean {
  const reference = parseMetric(metric)
  if (reference?.kind !== 'execution' && reference?.kind !== 'completedExecution') return false
  return reference.statistic.kind === 'quantile'
}
