/**
 * Measures the ladder rung by rung, each a trial of the study, until the ladder or the study ends.
 */
import { plural } from '../../../../analysis/metrics/format.ts'
import { leastOf } from '../../../../run/plan/facts.ts'
import type { Spent } from '../../../frame/trial/budget.ts'
import type { Trial } from '../../../frame/trial/trial.ts'
import type { Trials } from '../../../frame/trial/trials.ts'
import { measureRung, SHORTEST_WINDOW_MS } from '../../analyse/rung.ts'
import type { LadderEnd, SaturationRung } from '../../document.ts'
import { rungSchema } from '../../document.ts'
import { shareOfBudget } from '../../plan/ladder.ts'
import type { RungOptions } from './rung.ts'
import { climbRung, WARM_UP_SHARE } from './rung.ts'
import type { LatencyCounter } from './window.ts'

export interface ClimbOptions extends Omit<
  RungOptions,
  'connections' | 'amount' | 'latency' | 'signal'
> {
  /** Requests that are needed after the ladder: no rung may use them. */
  setAside: number
  /** A fresh counter for each rung. */
  createLatency: () => LatencyCounter
  /** Called for each rung that was not known before. */
  onRung: (rung: SaturationRung) => void
}

export interface Climb {
  /** The rungs that came to their end. */
  rungs: SaturationRung[]
  ended: LadderEnd
}

/** A larger share of errors in one rung ends the ladder: more load would only do harm. */
const HOPELESS_SHARE = 0.5

/**
 * `ladder`: the connections of each rung, in rising order. Without `options`, only the known rungs
 * are returned.
 */
export async function climbLadder(
  trials: Trials,
  ladder: readonly number[],
  options: ClimbOptions | null,
): Promise<Climb> {
  const rungs: SaturationRung[] = []
  for (const [at, connections] of ladder.entries()) {
    const key = plural(connections, 'connection')
    const isNew = !trials.knows(key)
    const rung = await trials.measured(key, rungSchema, async (trial) =>
      options === null ? null : climbNext(trial, options, ladder.slice(at), rungs.at(-1)),
    )
    if (rung === null) return { rungs, ended: trials.ended }
    rungs.push(rung)
    if (isNew) options?.onRung(rung)
    if ((rung.errors.value ?? 0) > HOPELESS_SHARE) return { rungs, ended: 'errors' }
  }
  return { rungs, ended: trials.ended }
}

/**
 * Measures the first of `rungs`. Null when the study was stopped, or the rest of the budget is too
 * small.
 */
async function climbNext(
  trial: Trial,
  options: ClimbOptions,
  rungs: readonly number[],
  before: SaturationRung | undefined,
): Promise<SaturationRung | null> {
  const { requests, kickoffs } = trial.left
  const kicksOff = options.request.method === 'POST'
  const { setAside } = options
  const left = leastOf(requests === null ? null : requests - setAside, kicksOff ? kickoffs : null)
  const amount = left === null ? null : shareOfBudget(left, rungs, requestsOfShortestWindow(before))
  if (left !== null && amount === null) return trial.outOfBudget()
  const counted = (count: number): Spent => ({ requests: count, kickoffs: kicksOff ? count : 0 })
  if (amount !== null && !(await trial.reserve(counted(amount)))) return null
  const latency = options.createLatency()
  const { signal } = trial
  try {
    const counts = await climbRung({
      ...options,
      signal,
      connections: rungs[0] ?? 0,
      amount,
      latency,
    })
    trial.sent(counted(counts.sent))
    return counts.endedBy === 'stopped' ? null : measureRung(counts)
  } finally {
    latency.destroy()
  }
}

/**
 * A window is planned this much longer than the shortest that counts, because a rung is rarely as
 * fast as the previous one to the last request.
 */
const WINDOW_MARGIN = 1.2

/**
 * The number of requests per connection until the shortest window that counts is over, at the rate
 * of the previous rung: with fewer requests, the next rung would spend its budget for nothing.
 */
function requestsOfShortestWindow(before: SaturationRung | undefined): number {
  if (before === undefined || before.windowMs === 0) return 0
  const each = before.requests / before.connections / before.windowMs
  return (each * SHORTEST_WINDOW_MS * WINDOW_MARGIN) / (1 - WARM_UP_SHARE)
}
