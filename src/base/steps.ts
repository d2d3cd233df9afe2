/**
 * A long calculation, step by step: whoever carries it out can show how far it is, and do other
 * things in between.
 */
export interface Step {
  /** What is counted, with what is done to it: `strategies replayed`. */
  what: string
  /** 1 to `of`. */
  done: number
  of: number
}

/** Yields after each step, and returns the result. */
export type Steps<Result> = Generator<Step, Result, void>

/** All steps at once. */
export function allSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
