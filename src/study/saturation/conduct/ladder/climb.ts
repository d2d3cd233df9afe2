/** Climbs the ladder rung by rung, within a budget, until it ends. */
import type { LadderEnd, SaturationRung } from '../../document.ts'
import { measureRung, SHORTEST_WINDOW_MS } from '../../analyse/rung.ts'
import { shareOfBudget } from '../../plan/ladder.ts'
import type { RungOptions } from './rung.ts'
import { climbRung, WARM_UP_SHARE } from './rung.ts'
import type { LatencyCounter } from './window.ts'

export interface ClimbOptions extends Omit<RungOptions, 'connections' | 'amount' | 'latency'> {
  /** Connections of each rung, rising. */
  ladder: readonly number[]
  /** Hard limit of requests over all rungs; null for none. */
  budget: number | null
  /** A fresh counter for each rung. */
  createLatency: () => LatencyCounter
  onRung: (rung: SaturationRung) => void
}

export interface Climb {
  /** Those that came to their end. */
  rungs: SaturationRung[]
  /** Requests handed to sockets, also in a rung that was stopped. */
  sent: number
  ended: Exclude<LadderEnd, 'target'>
}

/** A larger share of errors in one rung ends the ladder: more load would only do harm. */
const HOPELESS_SHARE = 0.5

export async function climbLadder(options: ClimbOptions): Promise<Climb> {
  const { ladder, budget, signal } = options
  const climb: Climb = { rungs: [], sent: 0, ended: 'complete' }
  for (const [at, connections] of ladder.entries()) {
    if (signal.aborted) return { ...climb, ended: 'interrupted' }
    const left = budget === null ? null : budget - climb.sent
    const least = requestsOfShortestWindow(climb.rungs.at(-1))
    const amount = left === null ? null : shareOfBudget(left, ladder.slice(at), least)
    if (left !== null && amount === null) return { ...climb, ended: 'budget' }
    const { rung, sent } = await measured(options, connections, amount)
    climb.sent += sent
    if (rung === null) return { ...climb, ended: 'interrupted' }
    climb.rungs.push(rung)
    options.onRung(rung)
    if ((rung.errors.value ?? 0) > HOPELESS_SHARE) return { ...climb, ended: 'errors' }
  }
  return climb
}

/**
 * A window is planned this much longer than the shortest that counts: a rung is rarely as fast as
 * the one before to the last request.
 */
const WINDOW_MARGIN = 1.2

/**
 * What a connection sends until the shortest window that counts is over, if it goes on as in the
 * rung before: with fewer requests the next one would spend its budget for nothing.
 */
function requestsOfShortestWindow(before: SaturationRung | undefined): number {
  if (before === undefined || before.windowMs === 0) return 0
  const each = before.requests / before.connections / before.windowMs
  return (each * SHORTEST_WINDOW_MS * WINDOW_MARGIN) / (1 - WARM_UP_SHARE)
}

/** Null for a rung that was stopped. */
async function measured(
  options: ClimbOptions,
  connections: number,
  amount: number | null,
): Promise<{ rung: SaturationRung | null; sent: number }> {
  const latency = options.createLatency()
  try {
    const counts = await climbRung({ ...options, connections, amount, latency })
    return { rung: counts.endedBy === 'stopped' ? null : measureRung(counts), sent: counts.sent }
  } finally {
    latency.destroy()
  }
}
