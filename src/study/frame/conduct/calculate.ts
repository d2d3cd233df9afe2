/** Carries out a long calculation in steps, so that Ctrl-C is handled and progress is shown. */
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Step, Steps } from '../../../base/steps.ts'

/** The interval between progress updates. */
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
