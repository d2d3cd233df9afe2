/** Stops a run early when a threshold that asks for it cannot be met any more: no more kickoffs are paid for a verdict that is known. */
import { earlyStopReason } from '../analysis/endings.ts'
import { cannotBeMet } from '../analysis/thresholds.ts'
import type { Recorder } from '../result/recorder.ts'
import type { Plan } from '../scenario/plan.ts'

/** A look costs more than the timer of real time, which asks four times a second, is worth. */
const LOOK_EVERY = 8

/** A function to be asked a few times a second: why kickoffs should stop, or null. It looks every second or two. */
export function earlyAbort(plan: Plan, recorder: Recorder): () => string | null {
  const look = lostThreshold(plan, recorder)
  let asked = 0
  return () => (asked++ % LOOK_EVERY === 0 ? look() : null)
}

/** A function that looks whenever it is asked: why kickoffs should stop, or null. */
export function lostThreshold(plan: Plan, recorder: Recorder): () => string | null {
  const watched = plan.thresholds.filter(({ abortEarly }) => abortEarly)
  return () => {
    const lost = watched.find((threshold) =>
      cannotBeMet(threshold, recorder.metric(threshold.metric)),
    )
    return lost === undefined ? null : earlyStopReason(lost.metric, lost.text)
  }
}
