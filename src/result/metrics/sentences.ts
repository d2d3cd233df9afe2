/** Metrics and thresholds in words: the same in the sentences of a verdict as in every report. */
import { shownBound, timeUnitIn } from '../../scenario/thresholds/bounds.ts'
import { parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import type { TimeUnit } from '../../base/numbers.ts'
import {
  formatCount,
  formatInterval,
  formatPercent,
  formatReach,
  formatRough,
  formatValue,
  NOTHING,
  plural,
  powerAtOrBelow,
  precisionOf,
  shownDownTo,
  shownValue,
  textOf,
  valueOf,
} from '../../base/numbers.ts'
import type { Metric, ThresholdResult } from '../document-parts.schema.ts'
import { shareInterval } from '../statistics/shares.ts'

/**
 * `16 kickoffs, about 3.75`: what was spent. The price is the user's estimate, and a kickoff
 * without an answer may have cost nothing.
 */
export function spentWords(kickoffs: number, costPerKickoff: number): string {
  return `${plural(kickoffs, 'kickoff')}, about ${formatCount(kickoffs * costPerKickoff)}`
}

/** `3.42 USD`; the currency is the author's word. */
export function moneyWords(amount: number, currency: string | null): string {
  const digits = formatRough(amount)
  return currency === null ? digits : `${digits} ${currency}`
}

/**
 * `3.42 USD measured of 72 executions, about 0.8 for 8 others`; null if no cost was measured.
 * `each`: the estimate for an execution whose cost is not known.
 */
export function measuredWords(
  { executions, priced, cost }: { executions: number; priced: number; cost: number | null },
  currency: string | null,
  each: number | null,
): string | null {
  if (cost === null) return null
  const measured = `${moneyWords(cost, currency)} measured of ${plural(priced, 'execution')}`
  const others = executions - priced
  if (others === 0) return measured
  return each === null
    ? `${measured}, unknown of ${plural(others, 'other')}`
    : `${measured}, about ${moneyWords(others * each, currency)} for ${plural(others, 'other')}`
}

/** `125 %`: as every text shows it. */
export function loadShare({ load }: { load: number }): string {
  return formatPercent(load)
}

/** A metric of a run, or a quantity of a study. */
type ShownMetric = Pick<Metric, 'value' | 'unit' | 'low' | 'high' | 'exceeds' | 'n' | 'needed'>

/**
 * A metric's value: as many digits as its interval allows, or the words that say why there is none.
 */
export function formatMetric(metric: ShownMetric, as: TimeUnit | null = null): string {
  const { value, unit } = metric
  if (value === null) return formatMissing(metric, as)
  return formatReach(value, unit, precisionOf(metric, as))
}

/**
 * `38 % never ended`: how many a metric that is never counts among those, and what never came
 * to them; null where it counts none. Default: of a wait until the end.
 */
export function neverNote(
  { n, never }: Pick<Metric, 'n' | 'never'>,
  kind: MetricReference['kind'] = 'execution',
): string | null {
  if (never === 0 || n === 0) return null
  return `${formatPart(never, n)} ${neverWords(kind)}`
}

/**
 * `43 %`, with as many digits as the interval of a share of independent counts allows: the same
 * wherever such a share stands.
 */
export function formatPart(hits: number, n: number): string {
  const { low = null, high = null } = shareInterval(hits, n) ?? {}
  return formatMetric({ value: hits / n, unit: 'share', low, high, n, needed: null })
}

/** The crew may have served an execution of whose end its client never learned. */
function neverWords(kind: MetricReference['kind']): string {
  if (kind === 'detectionDelay') return 'never learned of their end'
  return kind === 'kickoffResponse' ? 'were never accepted' : 'never ended'
}

/**
 * `too few (12 of 59 needed)`, `over 241 s` where the unfinished hide the value, or a dash. Too few
 * comes first: a one-sided bound in a quantile's place would read as its value.
 */
function formatMissing(metric: ShownMetric, as: TimeUnit | null): string {
  if (isTooFew(metric)) return `too few (${metric.n} of ${metric.needed} needed)`
  return formatLeast(metric, as) ?? NOTHING
}

/** A sum with parts that are not known can be as low as what is known of it. */
function formatLeast(metric: ShownMetric, as: TimeUnit | null): string | null {
  const { low, exceeds = low, unit } = metric
  if (typeof exceeds !== 'number') return exceeds
  return `${unit === 'money' ? 'at least' : 'over'} ${formatValue(exceeds, unit, { as })}`
}

export function isTooFew({
  value,
  n,
  needed,
}: Pick<ShownMetric, 'value' | 'n' | 'needed'>): boolean {
  return value === null && needed !== null && n > 0 && n < needed
}

type ShownThreshold = Pick<ThresholdResult, 'metric' | 'written' | 'bound' | 'status' | 'measured'>

/**
 * A threshold's measured value, in the unit of the bound; it gets the digits that it takes to stand
 * visibly on its own side of the bound.
 */
export function formatMeasured(result: ShownThreshold): string {
  const { measured, bound, status } = result
  const { value, unit } = measured
  const as = timeUnitIn(result.written)
  if (value === null)
    return status === 'missed' ? formatProof(measured, as) : formatMissing(measured, as)
  if (value === 'never') {
    const note = neverNote(measured, parseMetric(result.metric)?.kind)
    return note === null ? value : `${value} (${note})`
  }
  if (unit === 'flag') return formatValue(value, unit)
  const side = Math.sign(value - bound)
  const plain = shownValue(value, unit, { as })
  const clear = [shownValue(value, unit, precisionOf(measured, as)), plain].find(
    (shown) => side === 0 || Math.sign(valueOf(shown) - bound) === side,
  )
  return textOf(clear ?? shownDownTo(value, plain, powerAtOrBelow(Math.abs(value - bound))))
}

/** The 95 % interval of a threshold, in the unit of its bound; null where n allows none. */
export function formatMeasuredInterval(
  result: Pick<ShownThreshold, 'measured' | 'written'>,
): string | null {
  return formatInterval(result.measured, result.measured.unit, timeUnitIn(result.written))
}

/** The confidence bound that proves a miss where there are too few samples for a value. */
function formatProof(metric: ShownMetric, as: TimeUnit | null): string {
  const { high, unit } = metric
  const under = typeof high === 'number' ? `under ${formatValue(high, unit, { as })}` : NOTHING
  return formatLeast(metric, as) ?? under
}

/** `< 500 ms`; of a yes or no, the one that is asked for. */
export function boundText(
  result: Pick<ThresholdResult, 'operator' | 'written' | 'measured'>,
): string {
  if (result.measured.unit !== 'flag') return shownBound(result)
  return result.operator === '>' || result.operator === '>=' ? 'yes' : 'no'
}
