/** Carries out a long calculation in steps, so that Ctrl-C is handled and progress is shown. */
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Step, Steps } from '../../../base/steps.ts'

/** The interval between progress updates. */
const TOLD_EVERY_MS = 250

interface Calculating {
  /** Ends the calculation between two of its steps. */
  signal: AbortSignal
  onStep?: ((step: Step) => void) | undefined
}

/** Null when it was stopped before its end. */
export async function calculate<Result>(
  steps: Steps<Result>,
  { signal, onStep }: Calculating,
): Promise<Result | null> {
  let nextMs = performance.now() + TOLD_EVERY_MS
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < nextMs) continue
    onStep?.(step.value)
    await setImmediate()
    if (signal.aborted) return null
    nextMs = performance.now() + TOLD_EVERY_MS
  }
}
