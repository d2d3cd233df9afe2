/** Carries out a long calculation, and leaves time for Ctrl-C and for showing how far it is. */
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Step, Steps } from '../../../base/steps.ts'

/** At most four times a second. */
const TOLD_EVERY_MS = 250

export async function calculate<Result>(
  steps: Steps<Result>,
  onStep: (step: Step) => void = () => {},
): Promise<Result> {
  let nextMs = performance.now() + TOLD_EVERY_MS
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < nextMs) continue
    onStep(step.value)
    await setImmediate()
    nextMs = performance.now() + TOLD_EVERY_MS
  }
}
