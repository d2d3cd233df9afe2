/** Reads what is known about a run to be resumed, from its journal and the rest of its folder. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunLine } from '../../execution/record/journal-lines.ts'
import { UserError } from '../../base/mistakes.ts'
import { JOURNAL_FILE } from '../folder/folder.ts'
import { plural } from '../../base/numbers.ts'
import type { UnfinishedRun, UnfinishedInstance } from '../../journal/unfinished.ts'
import { readUnfinished } from '../../journal/unfinished.ts'
import { openWholeJournal } from '../k6/whole-journal.ts'
import type { Recipe } from '../plan/recipe.ts'
import { readRecipe } from '../plan/recipe.ts'
import { correlationId } from '../../crew/crew-request.ts'

export interface Survey {
  folder: string
  /** Null when the folder has no readable recipe. */
  recipe: Recipe | null
  run: RunLine
  /** The instances that have not finished: cut, never begun, or with executions given up. */
  instances: readonly UnfinishedInstance[]
  /** Arrivals that were started, or that ended without a start. */
  begun: ReadonlySet<number>
  /** The number of accepted executions of all instances that have not ended. */
  inFlight: number
  /** How many of these waited for a person when their deadline passed. */
  waiting: number
  /** Correlation ids of kickoffs without an answer before the cut. */
  unheard: readonly string[]
  /**
   * Requests that all instances together may have sent according to the journal; 0 when nothing was
   * written because there was no budget.
   */
  requestsSpent: number
}

/** Throws UserError for a run that cannot be resumed, or need not be. */
export async function surveyRun(folder: string): Promise<Survey> {
  await keepConsoles(folder)
  const survey = await surveyPart(folder)
  if (survey.instances.length > 0) return survey
  throw mistake(folder, 'has nothing to resume: every execution has ended')
}

/** The same for a part of a mix, of which others may have something left. */
export async function surveyPart(folder: string, part?: string): Promise<Survey> {
  const remains = await readUnfinished(join(folder, JOURNAL_FILE), part)
  const begun = remains.instances
  const run = begun[0]?.run
  if (remains.orphans.length > 0 || (run === undefined && remains.damage !== null)) {
    throw headless(remains, join(folder, JOURNAL_FILE))
  }
  if (run === undefined) throw mistake(folder, 'has no run line: nothing was sent')
  if (run.engine === 'virtual') {
    throw mistake(folder, 'was a run in virtual time: nothing is in flight; run it again')
  }
  const instances = [...begun, ...neverBegun(run, begun)].filter(
    ({ finished, left }) => !finished || left.length > 0,
  )
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
    waiting: instances.reduce((sum, { waiting }) => sum + waiting, 0),
    requestsSpent: begun.reduce((sum, { requestsReserved }) => sum + requestsReserved, 0),
  }
}

/** Nothing is changed: whoever has the line can put it back. */
function headless({ orphans, damage }: UnfinishedRun, path: string): UserError {
  const accepted = orphans.flatMap((each) => each.accepted?.kickoffId ?? [])
  const line = damage === null ? {} : { line: damage.line }
  const why = damage === null ? 'the first line is missing' : 'the line cannot be read'
  const listed = accepted.slice(0, MOST_LISTED).join(', ')
  const more = accepted.length > MOST_LISTED ? `, and ${accepted.length - MOST_LISTED} more` : ''
  const running =
    accepted.length === 0
      ? 'kickoffs may have been sent'
      : `sent, without an end here: ${plural(orphans.length, 'kickoff')}; accepted, and perhaps ` +
        `still running: ${listed}${more}`
  const problem = `${why}, and without it nobody knows where to poll; ${running}; restore the line from a copy`
  return new UserError({ source: path, ...line, problem })
}

/** Of kickoff ids: the journal has all of them. */
const MOST_LISTED = 20

/**
 * k6's lines that crewload had not read before it was killed belong into the journal before
 * anything is appended to it.
 */
async function keepConsoles(folder: string): Promise<void> {
  const whole = await openWholeJournal(folder)
  if (whole.added > 0) await rename(whole.path, join(folder, JOURNAL_FILE))
}

/**
 * Instances that were killed before their first line: they sent nothing, and their arrivals count
 * as not reached, like the rest.
 */
function neverBegun(run: RunLine, begun: readonly UnfinishedInstance[]): UnfinishedInstance[] {
  const known = new Set(begun.map((own) => own.run.instance))
  const found: UnfinishedInstance[] = []
  for (let instance = 0; instance < run.instances; instance++) {
    if (known.has(instance)) continue
    const nothing = {
      finished: false,
      left: [],
      waiting: 0,
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
  return new UserError({ source: folder, problem })
}
