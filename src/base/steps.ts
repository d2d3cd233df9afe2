/**
 * Divides a long calculation into steps: its caller can show the progress and do other work between
 * two steps.
 */
export interface Step {
  /** A phrase that says what the steps count: `strategies replayed`. */
  what: string
  /** 1 to `of`. */
  done: number
  of: number
}

/** Yields after each step, and returns the result. */
export type Steps<Result> = Generator<Step, Result, void>

/** Runs all steps without a pause and returns the result. */
export function allSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
