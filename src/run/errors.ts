/** Errors of a run that have their own exit codes. */
import type { Mistake } from '../base/mistakes.ts'
import { UserError } from '../base/mistakes.ts'
import { messageOf } from '../base/text.ts'

/** The target cannot be reached, or refused us, before the first kickoff. */
export class TargetError extends UserError {
  override name = 'TargetError'
  readonly exitCode = 5

  constructor(target: URL, problem: string, found?: string) {
    const mistake: Mistake = { source: target.href, problem }
    super(found === undefined ? mistake : { ...mistake, found })
  }
}

/** The fake crew of a run crashed before it was ready: a bug of ours. */
export class FakeCrewCrashed extends UserError {
  override name = 'FakeCrewCrashed'
  readonly exitCode = 70

  /** `how`: what ended it. `said`: its own words, which may be none. */
  constructor(how: string, said: string) {
    const words = said === '' ? '' : `: ${said}`
    super({ source: 'fake crew', problem: `crashed while it started (${how})${words}` })
  }
}

const MOST_SHOWN = 200

/**
 * The journal can no longer be read: there is no result, and nothing else says what still runs on
 * the target.
 */
export class JournalLost extends UserError {
  override name = 'JournalLost'
  readonly exitCode = 3

  /** `running`: the kickoff ids of executions that were given up. */
  constructor(folder: string, cause: unknown, running: readonly string[]) {
    const why = messageOf(cause)
    const more = running.length > MOST_SHOWN ? `, and ${running.length - MOST_SHOWN} more` : ''
    const left =
      running.length === 0
        ? ''
        : '; given up while still running on the target: ' +
          `${running.slice(0, MOST_SHOWN).join(', ')}${more}`
    const problem = `the run is INVALID and has no result: ${why}${left}`
    super({ source: folder, problem }, { cause })
  }
}

/** The plan was shown and declined; nothing was sent. */
class Declined extends UserError {
  override name = 'Declined'

  constructor() {
    super({ source: 'plan', problem: 'was not confirmed; nothing was sent' })
  }
}

/** Throws Declined without consent, so that nothing is sent. */
export async function demandConsent<Facts>(
  confirm: ((facts: Facts) => boolean | Promise<boolean>) | undefined,
  facts: () => Facts,
): Promise<void> {
  if (confirm !== undefined && !(await confirm(facts()))) throw new Declined()
}

/** The run was stopped, for this reason, before anything was sent. */
export class Interrupted extends UserError {
  override name = 'Interrupted'
  readonly exitCode = 130

  constructor(reason: string) {
    super({ source: 'run', problem: `${reason} before anything was sent` })
  }
}
