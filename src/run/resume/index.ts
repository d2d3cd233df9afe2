/**
 * `crewload resume`: polls the executions that a run left in flight until they end, and writes the
 * same artefacts. It sends no kickoffs.
 */
import { UserError } from '../../base/mistakes.ts'
import { plural } from '../../base/numbers.ts'
import type { Plan } from '../../scenario/plan.ts'
import { describePlan, planHash } from '../../scenario/plan-data.ts'
import type { RunOutcome } from '../carry.ts'
import { carried } from '../carry.ts'
import { lockFolder } from '../folder/lock.ts'
import { journalIn } from '../folder/stored.ts'
import type { ResumeOptions, RunOptions } from '../options.ts'
import { makePlan } from '../plan/prepare.ts'
import { openResumedBody } from './body.ts'
import type { Survey } from './survey.ts'
import { surveyRun } from './survey.ts'

export interface ResumeOutcome extends RunOutcome {
  /**
   * Correlation ids of kickoffs whose answer was never received: each may have started an execution
   * that nobody follows.
   */
  unheard: readonly string[]
}

/**
 * `folder` is the folder of a run that was killed, or stopped while executions were still running
 * on the target. Those are polled until they end, under the plan of the run and on its clock.
 * Kickoffs without an answer end as `aborted`; arrivals that were never sent count as not reached.
 * The point is to use money already spent: no kickoff is sent. Everything is appended to the run's
 * own journal, so a resumption can itself be cut and resumed any number of times.
 *
 * Throws UserError for the user's mistakes, for a folder in use, and for a run with nothing left;
 * TargetError as `run` does, with nothing changed except what the preflight took from a budget of
 * requests; JournalLost when the folder was removed meanwhile.
 */
export async function resume(folder: string, options: ResumeOptions = {}): Promise<ResumeOutcome> {
  const journal = await journalIn(folder)
  const hold = await lockFolder(folder)
  try {
    const survey = await surveyRun(folder)
    const plan = await planAgain(survey, options)
    if (survey.waiting > 0) options.onNote?.(waitingNote(survey.waiting))
    const body = await openResumedBody(survey, plan, options)
    const { scenario: _, target: __, ...own } = options
    const order = { options: runOptions(survey, own, body), reports: true }
    try {
      const { ledger: _, ...outcome } = await carried(body, order, { path: folder, journal })
      return { ...outcome, unheard: survey.unheard }
    } finally {
      await body.close()
    }
  } finally {
    await hold.release()
  }
}

/** As the run had them, at the crew that is polled now; none where nothing is. */
function runOptions(
  { recipe }: Survey,
  options: Omit<ResumeOptions, 'scenario' | 'target'>,
  { polls, target }: { polls: boolean; target: string },
): RunOptions {
  const costPerKickoff = recipe?.options.costPerKickoff
  const command = recipe?.command ?? null
  return {
    ...options,
    ...(polls ? { target } : {}),
    ...(command === null ? {} : { command }),
    ...(costPerKickoff === undefined ? {} : { costPerKickoff }),
  }
}

function waitingNote(waiting: number): string {
  const words = plural(waiting, 'execution')
  return `${words} waited for a person at the deadline: each is asked about once more at least`
}

/** Throws UserError when the scenario cannot be found, or has changed. */
async function planAgain(
  survey: Survey,
  { scenario, headers = {} }: Pick<ResumeOptions, 'scenario' | 'headers'>,
): Promise<Plan> {
  const { recipe, run, folder } = survey
  const found = scenario ?? recipe?.scenario ?? null
  if (found === null) {
    throw mistake(folder, 'does not say which scenario was run: give it with --scenario FILE')
  }
  const missing = (recipe?.headers ?? []).filter((name) => !Object.hasOwn(headers, name))
  if (missing.length > 0) {
    const names = missing.map((name) => `--header '${name}: ...'`).join(' ')
    throw mistake(folder, `was run with headers whose values are stored nowhere: give ${names}`)
  }
  const made = await makePlan(found, { seed: run.seed, ...recipe?.options, headers })
  const plan: Plan = { ...made, ...recipe?.amended }
  const hash = planHash(describePlan(plan))
  if (hash === run.planHash) return plan
  throw new UserError({
    source: typeof found === 'string' ? found : 'scenario',
    path: '',
    found: `plan ${hash}`,
    problem:
      `is not the plan that was run (plan ${run.planHash}): resume needs the scenario ` +
      'unchanged; give another copy with --scenario FILE',
  })
}

function mistake(folder: string, problem: string): UserError {
  return new UserError({ source: folder, path: '', problem })
}
