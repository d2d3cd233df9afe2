/** What polling cost, and what it should cost. */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND, formatDuration, threeDigits } from '../../base/units.ts'
import type { PollingResult } from '../document.ts'
import type { Observations } from '../observations.ts'
import type { Waits } from './waits.ts'
import { waitsOfLoad } from './waits.ts'

export function pollingResult(
  observations: Observations,
  pollPriceMicros: Micros,
  waits: Waits,
): PollingResult {
  const detectionSource = waits.times === null ? 'interval' : 'ledger'
  const { accepted, polls, wastedPolls } = observations.window
  return {
    perExecution: accepted === 0 ? null : polls / accepted,
    wastedPerExecution: accepted === 0 ? null : wastedPolls / accepted,
    wastedShare: polls === 0 ? null : wastedPolls / polls,
    points: observations.strips.map((strip) => ({
      executionMs: strip.totalMicros / MICROS_PER_MS,
      polls: strip.polls,
    })),
    detectionSource,
    advice: advice(observations, pollPriceMicros, waits),
  }
}

/** The price that the advice supposes: one poll costs as much as a user's waiting for so long. */
export const POLL_PRICE_MICROS = MICROS_PER_SECOND

/**
 * The best constant interval d* = sqrt(2 c E[D] / w), for a poll that costs c, a second of delay
 * that costs w, and a mean duration E[D]; it needs E[D] / d + 1/2 polls and notices the end d / 2
 * late on average. (The cost w d / 2 + c (E[D] / d + 1/2) is least there.)
 */
export function bestInterval(meanDurationMicros: number, pollPriceMicros: number): number {
  return Math.sqrt(2 * pollPriceMicros * meanDurationMicros)
}

/** Without a ledger the true end is taken to lie in the middle of its interval. */
function advice(observations: Observations, pollPriceMicros: Micros, waits: Waits): string | null {
  const { window } = observations
  const source = waits.times === null ? 'interval' : 'ledger'
  const { ended } = window.executions
  const detection = window.detection.ended
  if (ended.n === 0 || detection.n === 0 || window.accepted === 0) return null
  const why = waitsOfLoad(observations, waits)
  if (why !== null) return `This run is no guide to a polling interval, because ${why}.`
  const delay = detection.sum / detection.n
  const expectedDelay = source === 'ledger' ? delay : delay / 2
  const duration = Math.max(0, ended.sum / ended.n - expectedDelay)
  const best = bestInterval(duration, pollPriceMicros)
  if (best === 0) return null
  const polls = threeDigits(duration / best + 0.5)
  const now = threeDigits(window.polls / window.accepted)
  const bound = source === 'ledger' ? '' : 'at most '
  const price = formatDuration(pollPriceMicros)
  return (
    `Executions take ${formatDuration(duration)} on average; if one poll costs as much as ` +
    `${price} of waiting, the best constant interval is ` +
    `sqrt(2 x ${price} x ${formatDuration(duration)}) = ${formatDuration(best)}: ` +
    `${polls} polls and a detection delay of ${formatDuration(best / 2)}, ` +
    `compared with ${now} polls and ${bound}${formatDuration(delay)} now.`
  )
}
