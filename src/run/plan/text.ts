/**
 * The printed plan: what a run is going to do, shown before the first kickoff, which may cost
 * money.
 */
import {
  formatCount,
  formatMostMs,
  formatMs,
  formatShare,
  inNumber,
  NOTHING,
} from '../../base/numbers.ts'
import { plainText } from '../../report/text/format.ts'
import { placeText } from '../../report/frame/place-text.ts'
import type { Decidability } from '../../result/verdict/decidable.ts'
import { decidabilityNotes } from '../../result/verdict/decidable.ts'
import { placeNotes } from '../target/place-notes.ts'
import type { PlaceFacts, Forecast } from '../forecast.ts'
import { leastWords } from '../../result/sentences/next-steps.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { linesOf } from '../../base/options/table.ts'
import { ENGINE, PLAN } from '../options.ts'
import { renderPlanText } from '../../report/frame/render/terminal.ts'
import { typedBound } from '../../scenario/thresholds/bounds.ts'

/** Ends with a newline; plain text with at most 100 characters per line. */
export function renderForecast(forecast: Forecast): string {
  return renderPlanText(planTextOf(forecast))
}

export function planTextOf(forecast: Forecast): PlanText {
  const { kickoffs, budget, cost } = forecast
  const rows: [string, string][] = [
    placeRow(forecast),
    ['kickoffs', `${known(kickoffs)}${peak(forecast)}`],
    ['requests', requestWords(forecast) ?? NOTHING],
    ['duration', duration(forecast)],
    ['cost', cost === null ? UNKNOWN_COST : formatCount(cost)],
    ['budget', budgetWords(budget)],
    engineRow(forecast),
    ...thresholdRows(forecast.thresholds),
  ]
  return { title: `Plan of "${plainText(forecast.scenario)}"`, rows, notes: planNotes(forecast) }
}

/** What is asked before the runs of these plans begin. */
export function questionOf(plans: readonly Forecast[]): string {
  const start = 'Start? Each kickoff may cost money'
  const { length } = plans.flatMap((plan) => plan.thresholds).filter(({ doubt }) => doubt !== null)
  if (length === 0) return `${start}.`
  const what = inNumber(length, 'a threshold', `${length} thresholds`)
  return `${start}, and ${what} will probably be undecided (see ! above).`
}

/** What a run of this size cannot decide, and what cannot be kept secret: one sentence each. */
export function planNotes(forecast: Forecast): string[] {
  return [...decidabilityNotes(forecast.thresholds), ...placeNotes(forecast)]
}

export const UNKNOWN_COST = 'unknown (set it with --cost-per-kickoff)'

/** `node, seed 42, time-lapse: one second stands for a minute`. */
export function engineRow(forecast: Pick<Forecast, 'engine' | 'seed' | 'speed'>): [string, string] {
  const { seed, speed } = PLAN
  return ['engine', linesOf({ engine: ENGINE.kind, seed, speed }, forecast).join(', ')]
}

/**
 * `about 7,800 (at most 36,000 without retries)`; only the latter where executions are expected to
 * take until their deadline. Null if the number of kickoffs is not known.
 */
export function requestWords({
  requests,
  mostRequests,
}: Pick<Forecast, 'requests' | 'mostRequests'>): string | null {
  if (requests === null || mostRequests === null) return null
  const most = `at most ${formatCount(mostRequests)} without retries`
  return mostRequests <= requests ? most : `about ${formatCount(requests)} (${most})`
}

/**
 * For each threshold, the number of executions that decides it, and the probability that a target
 * at half the bound meets it.
 */
function thresholdRows(thresholds: readonly Decidability[]): [string, string][] {
  if (thresholds.length === 0) return [['thresholds', 'none']]
  return thresholds.map((each, i) => [i === 0 ? 'thresholds' : '', thresholdWords(each)])
}

function thresholdWords({ metric, source, needed, chance, ...bound }: Decidability): string {
  const name = `${plainText(metric)} ${typedBound(bound)}`
  if (source === 'default') return `${name} (default)`
  if (needed === null) return name
  const half = chance === null ? '' : `; met by ${formatShare(chance)} of runs at half the bound`
  return `${name}: at least ${leastWords(needed)}${half}`
}

function known(count: number | null): string {
  return count === null ? 'as many as the clients complete' : formatCount(count)
}

/** Rates below one per second are easier to read per hour. */
function peak({
  peakKickoffsPerSecond: perSecond,
  isPeakMean,
}: Pick<Forecast, 'peakKickoffsPerSecond' | 'isPeakMean'>): string {
  if (perSecond === null) return ''
  const rate =
    perSecond >= 1 ? `${formatCount(perSecond)}/s` : `${formatCount(perSecond * 3_600)}/h`
  return isPeakMean ? `, up to ${rate} on average` : `, at most ${rate}`
}

function duration({ durationMs, mostDurationMs, deadlineMs }: Forecast): string {
  if (durationMs === null)
    return `until the last client ends, at most ${formatMostMs(mostDurationMs)}`
  const arrivals = `${formatMs(durationMs)} of arrivals`
  return `${arrivals}, then up to ${formatMs(deadlineMs)} for the last executions`
}

export function budgetWords(budget: Forecast['budget']): string {
  const parts = linesOf({ ...PLAN.budget, maxCost: PLAN.maxCost }, budget)
  return parts.length === 0 ? 'no limit' : `at most ${parts.join(', ')}`
}

export function placeRow({ place, proxy }: Pick<PlaceFacts, 'place' | 'proxy'>): [string, string] {
  const way = proxy === undefined ? '' : `, through the proxy ${plainText(proxy)}`
  return ['target', plainText(placeText(place)) + way]
}
