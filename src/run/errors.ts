/** Errors of a run that have an exit code of their own. */
import type { Mistake } from '../mistakes.ts'
import { UserError } from '../mistakes.ts'

/** The target cannot be reached, or refused us, before the first kickoff. */
export class TargetError extends UserError {
  override name = 'TargetError'
  readonly exitCode = 5

  constructor(target: URL, problem: string, found?: string) {
    const mistake: Mistake = { source: target.href, path: '', problem }
    super(found === undefined ? mistake : { ...mistake, found })
  }
}

/** The plan was shown and turned down: nothing was sent. */
export class Declined extends UserError {
  override name = 'Declined'

  constructor(problem: string) {
    super({ source: 'plan', path: '', problem })
  }
}

/** It was told to stop, for this reason, before anything was sent. */
export class Interrupted extends UserError {
  override name = 'Interrupted'
  readonly exitCode = 130

  constructor(reason: string) {
    super({ source: 'run', path: '', problem: `${reason} before anything was sent` })
  }
}
