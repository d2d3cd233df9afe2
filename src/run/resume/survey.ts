/** What is known of a run that shall be resumed, from its folder alone. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunLine } from '../../execution/record/journal-lines.ts'
import { UserError } from '../../base/mistakes.ts'
import { JOURNAL_FILE } from '../folder/folder.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import { readUnfinished } from '../../journal/unfinished.ts'
import { openWholeJournal } from '../k6/whole-journal.ts'
import type { Recipe } from '../plan/recipe.ts'
import { readRecipe } from '../plan/recipe.ts'
import { correlationId } from '../../crew/request.ts'

export interface Survey {
  folder: string
  /** Null where the folder has none that can be read. */
  recipe: Recipe | null
  run: RunLine
  /**
   * Those that are not over: cut, never begun, or with executions that they gave up. At least one.
   */
  instances: readonly UnfinishedInstance[]
  /** Arrivals that were started, or ended without. */
  begun: ReadonlySet<number>
  /** Accepted executions among them all. */
  inFlight: number
  /** Correlation ids of kickoffs that were not answered before the cut. */
  unheard: readonly string[]
  /**
   * That all instances together may have sent, as they wrote down; 0 where they wrote down none,
   * for want of a budget.
   */
  requestsSpent: number
}

/** Throws UserError for a run that cannot be resumed, or needs not. */
export async function surveyRun(folder: string): Promise<Survey> {
  await keepConsoles(folder)
  const remains = await readUnfinished(join(folder, JOURNAL_FILE))
  const begun = remains.instances
  const run = begun[0]?.run
  if (run === undefined) throw mistake(folder, 'has no run line: nothing was sent')
  if (run.engine === 'virtual') {
    throw mistake(folder, 'was a run in virtual time: nothing is in flight; run it again')
  }
  const instances = [...begun, ...neverBegun(run, begun)].filter(
    ({ finished, left }) => !finished || left.length > 0,
  )
  if (instances.length === 0) {
    throw mistake(folder, 'has nothing to resume: every execution has ended')
  }
  const left = instances.flatMap((own) => own.left)
  return {
    folder,
    recipe: await readRecipe(folder),
    run,
    instances,
    begun: remains.begun,
    unheard: left.flatMap(({ accepted, arrival }) =>
      accepted === null ? correlationId(run.runId, arrival.index) : [],
    ),
    inFlight: left.filter(({ accepted }) => accepted !== null).length,
    requestsSpent: begun.reduce((sum, { requestsReserved }) => sum + requestsReserved, 0),
  }
}

/**
 * Lines of k6 that crewload did not live to read belong to the journal before anything is appended
 * to it.
 */
async function keepConsoles(folder: string): Promise<void> {
  const whole = await openWholeJournal(folder)
  if (whole.added > 0) await rename(whole.path, join(folder, JOURNAL_FILE))
}

/**
 * Instances that were killed before their first line: they sent nothing, and their arrivals are not
 * reached, like the rest.
 */
function neverBegun(run: RunLine, begun: readonly UnfinishedInstance[]): UnfinishedInstance[] {
  const known = new Set(begun.map((own) => own.run.instance))
  const found: UnfinishedInstance[] = []
  for (let instance = 0; instance < run.instances; instance++) {
    if (known.has(instance)) continue
    const nothing = {
      finished: false,
      left: [],
      ended: 0,
      lastMicros: 0,
      requestsReserved: 0,
      workedMicros: 0,
      journalErrors: 0,
    }
    found.push({ ...nothing, run: { ...run, instance }, begun: false })
  }
  return found
}

function mistake(folder: string, problem: string): UserError {
  return new UserError({ source: folder, path: '', problem })
}
