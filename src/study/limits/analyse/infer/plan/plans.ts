/** Plans that need no choice: the ramp to the first refusals, a watch, and checks of a limit. */
import type { Weighed } from '../belief.ts'
import { isHeldBack } from '../evidence/timing.ts'
import type { Grouped } from '../evidence/groups.ts'
import { hasRequests } from '../evidence/groups.ts'
import type { Experiment, ExperimentPlan, LimitEvidence } from '../interface.ts'

/** The experiment of a plan; it begins at `nowMs` if the plan would have begun before. */
export function experiment(plan: ExperimentPlan, nowMs: number, purpose: string): Experiment {
  return { ...plan, kind: 'experiment', purpose, startMs: Math.max(nowMs, plan.startMs) }
}

export function plannedRequests({ sends }: ExperimentPlan): number {
  return sends.reduce((sum, { count }) => sum + count, 0)
}

/** Milliseconds from `nowMs` to the last request. */
export function lastsMs({ startMs, sends }: ExperimentPlan, nowMs: number): number {
  return startMs - nowMs + sends.at(-1)!.afterMs
}

export function burst(startMs: number, count: number): ExperimentPlan {
  return { startMs, sends: [{ afterMs: 0, count }], until: null, isDrain: false }
}

/** `count` requests, one after the other. `afterMs`: of each by its number, from 0. */
export function singles(
  startMs: number,
  count: number,
  afterMs: (i: number) => number,
  more: Partial<Pick<ExperimentPlan, 'until' | 'isDrain'>> = {},
): ExperimentPlan {
  const sends = Array.from({ length: count }, (_, i) => ({ afterMs: afterMs(i), count: 1 }))
  return { startMs, sends, until: null, isDrain: false, ...more }
}

/** Requests at once, until some are refused. */
const RAMP: readonly number[] = [1, 1, 1, 2, 4, 8, 16, 32, 64, 110, 160]
/** A burst of so many that is let in is as much as a client asks for at once. */
const ENOUGH = 64

/** Whether so many were sent at once without a refusal that a limit beyond meets hardly anybody. */
export function isClimbed(evidence: LimitEvidence): boolean {
  const upTo = RAMP.filter((count) => count <= ENOUGH)
  return evidence.length >= upTo.reduce((sum, count) => sum + count, 0)
}

/** Between the first requests, which show how long a round trip takes. */
const APART_MS = 200

/** Null when the ramp has been climbed without a refusal, as far as `mostAtOnce` requests. */
export function rampPlan(
  evidence: LimitEvidence,
  nowMs: number,
  mostAtOnce: number,
): ExperimentPlan | null {
  let before = 0
  for (const count of RAMP.filter((each) => each <= mostAtOnce)) {
    if (before >= evidence.length) return burst(nowMs + (before < 3 ? APART_MS : 0), count)
    before += count
  }
  return null
}

const FIRST_PAUSE_MS = 60
/** A pause is this much longer than the one before it. */
const GROWTH = 0.5

/** One request, after a pause that grows with the time for which all have been refused. */
export function watchPlan({ groups: all, timing }: Grouped, nowMs: number): ExperimentPlan {
  const groups = all.filter(hasRequests)
  // All of them where none has been let in.
  const from = Math.max(
    0,
    groups.findLastIndex(({ accepted }) => accepted > 0),
  )
  const streak = groups.slice(from)
  const refusedSince = streak[0]?.firstRefusedMs ?? nowMs
  const since = refusedSince === -Infinity ? streak[1]!.firstRefusedMs : refusedSince
  return burst(nowMs + Math.max(FIRST_PAUSE_MS + timing.orderMs, GROWTH * (nowMs - since)), 1)
}

/** Nats that refusals cost before any request was let in again: as if the limit had been in use. */
const IN_USE = 3

/** All of the limit at once after a rest, and one more, where it was in use before; else null. */
export function restedPlan(weighed: Weighed, nowMs: number): ExperimentPlan | null {
  const { limit } = weighed.best.parameters
  const restMs = restOf(weighed, limit)
  return restMs === 0 || weighed.best.lostEarly < IN_USE ? null : burst(nowMs + restMs, limit + 1)
}

/** A rate that is not yet known well may be lower by this share. */
const LOOSE = 0.1

/**
 * All of the limit at once after a rest, and one more, where another and larger limit is not ruled
 * out. Null for kinds of which it shows nothing.
 */
export function largerPlan(weighed: Weighed, nowMs: number, other: number): ExperimentPlan | null {
  const limit = Math.max(weighed.best.parameters.limit, other)
  const restMs = restOf(weighed, limit)
  return restMs === 0 ? null : burst(nowMs + (1 + LOOSE) * restMs, limit + 1)
}

/** Until what was sent before is forgotten; 0 for kinds that remember nothing. */
function restOf({ pool, best }: Weighed, limit: number): number {
  return pool.hypothesis.model({ ...best.parameters, limit }, 0).memoryMs
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
  { groups, timing, turn }: Grouped,
  nowMs: number,
): ExperimentPlan | null {
  const { kind } = pool.hypothesis
  const { limit, windowMs } = best.parameters
  if (kind !== 'token-bucket' && kind !== 'sliding-counter') return null
  /** The time in which one more is let in. */
  const eachMs = kind === 'token-bucket' ? windowMs : windowMs / limit
  const refused = groups.findLast((group) => group.refused > 0)
  const isHidden = isHeldBack(eachMs, turn) || eachMs < LEAST_SIGMAS * timing.sigmaMs
  if (isHidden || refused === undefined) return null
  const atStart = Math.min(limit, (nowMs - refused.lastRefusedMs) / eachMs)
  const count = Math.ceil(atStart / (1 - PACE) + LET_IN / PACE)
  return count > MOST ? null : singles(nowMs, count, (i) => i * PACE * eachMs, { isDrain: true })
}

/** Share of the safe rate, so that the limit that is known does not refuse. */
const SHARE = 0.9
/** Fewer requests beyond what a burst has shown tell nothing new. */
const LEAST = 30

/**
 * One steady client, within the limit that was found: is it ever refused by another one?
 * `startMs`: when the limit is unused. Null where the time or the requests that are left do not go
 * beyond what is known.
 */
export function sustainPlan(
  safePerSecond: number,
  startMs: number,
  { mostMs, requestsLeft }: { mostMs: number; requestsLeft: number },
): ExperimentPlan | null {
  const everyMs = 1_000 / (SHARE * safePerSecond)
  const count = Math.min(Math.floor(mostMs / everyMs), requestsLeft)
  return count < LEAST ? null : singles(startMs, count, (i) => i * everyMs, { until: 'refused' })
}
