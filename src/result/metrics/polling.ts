/** What polling cost, and what it should cost. */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { PollingAdvice, PollingResult } from '../document.ts'
import type { Observations } from '../observations.ts'
import type { WindowTally } from '../counting/tallies/window.ts'
import type { SharedWaits } from '../document-parts.schema.ts'
import { waitingShare } from '../ledger/shared-waits.ts'
import type { CrewLoad } from './crew-load.ts'
import type { Sample } from '../statistics/sample.ts'
import { due, unserved } from './family-measures.ts'

export function pollingResult(
  observations: Observations,
  pollPriceMicros: Micros,
  waits: Waits,
): PollingResult {
  const detectionSource = waits.times === null ? 'interval' : 'ledger'
  return {
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
function advice(
  observations: Observations,
  pollPriceMicros: Micros,
  waits: Waits,
): PollingAdvice | null {
  const { window } = observations
  const { ended } = window.executions
  const detection = window.detection.ended
  if (ended.n === 0 || detection.n === 0 || window.accepted === 0) return null
  const why = waitsOfLoad(observations, waits)
  if (why !== null) return why
  const delay = detection.sum / detection.n
  const expectedDelay = waits.times === null ? delay / 2 : delay
  const duration = Math.max(0, ended.sum / ended.n - expectedDelay)
  const best = bestInterval(duration, pollPriceMicros)
  if (best === 0) return null
  return {
    code: 'interval',
    pollCostsMs: pollPriceMicros / MICROS_PER_MS,
    executionMs: duration / MICROS_PER_MS,
    bestMs: best / MICROS_PER_MS,
    polls: window.polls / window.accepted,
    delayMs: delay / MICROS_PER_MS,
  }
}

export interface Waits {
  /** The times with and without a worker, by the ledger; null without one. */
  times: { queue: Sample; running: Sample } | null
  /** Null where executions share nothing but workers. */
  waits: SharedWaits | null
  load: CrewLoad | null
}

/** As many as a run may leave unserved. */
const MOST_UNSERVED = 0.05
/** Executions of the second half that take so many times as long as those of the first. */
const GROWN = 1.5
/** Fewer executions show no growth. */
const FEWEST_ENDED = 10

/** Null if executions take what their work takes. */
export function waitsOfLoad(
  { window, series }: Pick<Observations, 'window' | 'series'>,
  { times, waits, load }: Waits,
): Exclude<PollingAdvice, { code: 'interval' }> | null {
  if (load?.needed === Infinity) return { code: 'overloaded' }
  if (times !== null && times.queue.sum > times.running.sum) {
    const share = times.queue.sum / (times.queue.sum + times.running.sum)
    return { code: 'waits', share, for: 'worker' }
  }
  if (times !== null && waits !== null) {
    const share = waitingShare(waits, meanMs(times.queue))
    if (share > 0.5) return { code: 'waits', share, for: 'shared' }
  }
  const [missing, all] = [unserved(window), due(window)]
  if (missing > MOST_UNSERVED * all) return { code: 'unserved', count: missing, of: all }
  const factor = growthOf(series.map(({ group }) => group))
  return factor < GROWN ? null : { code: 'growing', factor }
}

function meanMs({ sum, n }: Sample): number {
  return n === 0 ? 0 : sum / n / MICROS_PER_MS
}

/** The mean time of the later half over that of the earlier; 0 if few ended. */
function growthOf(inOrder: readonly WindowTally[]): number {
  const middle = Math.floor(inOrder.length / 2)
  const [earlier, later] = [inOrder.slice(0, middle), inOrder.slice(middle)].map(meanOf)
  return earlier === null || later === null ? 0 : later! / earlier!
}

function meanOf(groups: readonly WindowTally[]): number | null {
  const ended = groups.map(({ executions }) => executions.ended)
  const n = ended.reduce((count, each) => count + each.n, 0)
  return n < FEWEST_ENDED ? null : ended.reduce((total, each) => total + each.sum, 0) / n
}
