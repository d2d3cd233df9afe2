/** Two experiments that show whether somebody else uses a limit that explains its answers. */
import { unreachable } from '../../../../../base/assert.ts'
import type { Weighed } from '../belief.ts'
import { isHeldBack } from '../evidence/delays.ts'
import type { Grouped } from '../evidence/group.ts'
import type { ExperimentPlan, SimulatedStep } from './simulate.ts'

/** Nats that refusals cost before any request was let in again: as if the limit had been in use. */
const IN_USE = 3

/** Whether the answers say that some of the limit was used before there was evidence. */
function wasInUse({ best }: Weighed): boolean {
  return best.lostEarly >= IN_USE
}

/** All of the limit at once after a rest, and one more, where it was in use; else null. */
export function restedPlan(weighed: Weighed, nowMs: number): ExperimentPlan | null {
  const { pool, best } = weighed
  const restMs = restOf(pool.hypothesis.kind, best.parameters)
  if (restMs === null || !wasInUse(weighed)) return null
  return burstAfter(nowMs + restMs, best.parameters.limit)
}

/** A rate that is not yet known well may be lower by this share. */
const LOOSE = 0.1

/**
 * All of the limit at once after a rest, and one more, where another and larger limit is not ruled
 * out. Null for kinds of which it shows nothing.
 */
export function largerPlan(
  { pool, best }: Weighed,
  nowMs: number,
  other: number,
): ExperimentPlan | null {
  const limit = Math.max(best.parameters.limit, other)
  const restMs = restOf(pool.hypothesis.kind, { ...best.parameters, limit })
  return restMs === null ? null : burstAfter(nowMs + (1 + LOOSE) * restMs, limit)
}

function burstAfter(startMs: number, limit: number): ExperimentPlan {
  const steps = [{ afterMs: 0, count: limit + 1, spanMs: 0 }]
  return { startMs, steps, until: null, isDrain: false }
}

/** Until what was sent before is forgotten. */
function restOf(
  kind: Weighed['pool']['hypothesis']['kind'],
  { limit, windowMs, blockMs }: Weighed['best']['parameters'],
): number | null {
  switch (kind) {
    case 'token-bucket':
      return limit * windowMs
    case 'sliding-counter':
      return 2 * windowMs
    case 'fixed-window':
    case 'sliding-log':
    case 'penalty':
      return Math.max(windowMs, blockMs)
    case 'none':
    case 'leaky-bucket':
    case 'concurrency':
    case 'unknown':
      return null
    default:
      return unreachable(kind)
  }
}

/** Share of the time in which one more is let in, between two requests. */
const PACE = 0.4
/** So many are let in meanwhile, beyond what is left at the start. */
const LET_IN = 8
/** What takes more requests is not tried: others would be refused meanwhile. */
const MOST = 120
/** Shorter times than this many standard deviations of an arrival are hidden by the jitter. */
const LEAST_SIGMAS = 8

/**
 * Requests faster than the limit lets them in: who asks first gets what comes back. From a slow
 * client another one takes a steady part, which a lower rate explains as well. Null for kinds that
 * let in many at once, and where it would take too much.
 */
export function competePlan(
  { pool, best }: Weighed,
  grouped: Grouped,
  nowMs: number,
): ExperimentPlan | null {
  const eachMs = eachIn(pool.hypothesis.kind, best.parameters)
  const { groups, timing, turn } = grouped
  if (eachMs === null || isHeldBack(eachMs, turn)) return null
  if (eachMs < LEAST_SIGMAS * timing.sigmaMs) return null
  const refused = groups.findLast((group) => group.refused > 0)
  if (refused === undefined) return null
  const sinceMs = nowMs - refused.lastRefusedMs
  const atStart = Math.min(best.parameters.limit, sinceMs / eachMs)
  const count = Math.ceil(atStart / (1 - PACE) + LET_IN / PACE)
  if (count > MOST) return null
  const steps = Array.from({ length: count }, (_, i): SimulatedStep => {
    return { afterMs: i * PACE * eachMs, count: 1, spanMs: 0 }
  })
  return { startMs: nowMs, steps, until: null, isDrain: true }
}

/** The time in which one more is let in. */
function eachIn(
  kind: Weighed['pool']['hypothesis']['kind'],
  { limit, windowMs }: Weighed['best']['parameters'],
): number | null {
  switch (kind) {
    case 'token-bucket':
      return windowMs
    case 'sliding-counter':
      return windowMs / limit
    case 'none':
    case 'leaky-bucket':
    case 'fixed-window':
    case 'sliding-log':
    case 'concurrency':
    case 'penalty':
    case 'unknown':
      return null
    default:
      return unreachable(kind)
  }
}
