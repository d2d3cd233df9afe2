/** The script that comes before all choice: a short ramp to the first refusals, and a watch. */
import type { Grouped } from '../evidence/group.ts'
import { isOfRequests } from '../evidence/group.ts'
import type { LimitEvidence } from '../interface.ts'
import type { ExperimentPlan } from './simulate.ts'

/** Requests at once, until some are refused. */
const RAMP = [1, 1, 1, 2, 4, 8, 16, 32, 64, 110, 160] as const
/** A burst of so many that is let in is as much as a client asks for at once. */
const ENOUGH = 64

/** Whether so many were sent at once without a refusal that a limit beyond meets hardly anybody. */
export function isClimbed(evidence: LimitEvidence): boolean {
  const upTo = RAMP.filter((count) => count <= ENOUGH)
  return evidence.length >= upTo.reduce<number>((sum, count) => sum + count, 0)
}

/** Between the first requests, which show how long a round trip takes. */
const APART_MS = 200

/** Null when the ramp has been climbed without a refusal, as far as `mostAtOnce` requests. */
export function rampPlan(
  evidence: LimitEvidence,
  nowMs: number,
  mostAtOnce: number,
): ExperimentPlan | null {
  const sent = evidence.length
  let before = 0
  for (const count of RAMP.filter((each) => each <= mostAtOnce)) {
    if (before >= sent) {
      const startMs = nowMs + (before < 3 ? APART_MS : 0)
      return { startMs, steps: [{ afterMs: 0, count, spanMs: 0 }], until: null, isDrain: false }
    }
    before += count
  }
  return null
}

const FIRST_PAUSE_MS = 60
/** A pause is this much longer than the one before it. */
const GROWTH = 0.5

/** One request, after a pause that grows with the time for which all have been refused. */
export function watchPlan({ groups: all, timing }: Grouped, nowMs: number): ExperimentPlan {
  const groups = all.filter(isOfRequests)
  // All of them where none has been let in.
  const from = Math.max(
    0,
    groups.findLastIndex(({ accepted }) => accepted > 0),
  )
  const streak = groups.slice(from)
  const refusedSince = streak[0]?.firstRefusedMs ?? nowMs
  const since = refusedSince === -Infinity ? streak[1]!.firstRefusedMs : refusedSince
  const pause = Math.max(FIRST_PAUSE_MS + timing.orderMs, GROWTH * (nowMs - since))
  return {
    startMs: nowMs + pause,
    steps: [{ afterMs: 0, count: 1, spanMs: 0 }],
    until: null,
    isDrain: false,
  }
}
