/** Merge: the journals of several instances, or one again, through one recorder into one document. */
import type { RunContext } from '../analysis/analyse.ts'
import type { ResultDocument } from '../analysis/document.ts'
import type { Ledger } from '../analysis/reconcile.ts'
import type { JournalLine, RunLine } from '../execution/journal.ts'
import type { Mistake } from '../mistakes.ts'
import { UserError } from '../mistakes.ts'
import { readJournal } from './journal-reader.ts'
import type { Recorder } from './recorder.ts'
import { createRecorder } from './recorder.ts'

export interface MergeOptions extends Partial<Omit<RunContext, 'unreadableLines'>> {
  ledger?: Ledger | null
}

/**
 * The lines of all journals as if one instance had written them: ten pods' results are exactly one's. The order of the paths does not
 * matter. Throws a UserError when a file cannot be read, has no `run` line, belongs to another plan or run, or tells of an instance that
 * another one tells of already.
 */
export async function mergeRuns(
  journalPaths: readonly string[],
  options: MergeOptions = {},
): Promise<ResultDocument> {
  const { ledger = null, profile = null, command = null, node = null } = options
  const recorder = createRecorder({ claims: ledger !== null })
  try {
    const told: Told[] = []
    let unreadableLines = 0
    for (const path of journalPaths) {
      const read = await readInto(recorder, path)
      told.push(...read.runs.map((run) => ({ path, run })))
      unreadableLines += read.skipped
    }
    requireOneRun(told)
    return recorder.document({ ledger, profile, command, node, unreadableLines })
  } finally {
    recorder.destroy()
  }
}

/** The run line of one instance, and the journal that holds it. */
interface Told {
  path: string
  run: RunLine
}

async function readInto(
  recorder: Recorder,
  path: string,
): Promise<{ runs: RunLine[]; skipped: number }> {
  const reader = readJournal(path)
  const runs: RunLine[] = []
  try {
    for await (const line of reader as AsyncIterable<JournalLine>) {
      if (line.type === 'run') runs.push(line)
      recorder.record(line)
    }
  } catch (error) {
    const problem = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    throw new UserError({ source: path, path: '', problem })
  }
  if (runs.length > 0) return { runs, skipped: reader.skipped }
  throw new UserError({
    source: path,
    path: '',
    problem: 'no journal of a run: it has no run line',
  })
}

function requireOneRun(told: readonly Told[]): void {
  const [first] = told
  if (first === undefined) {
    throw new UserError({ source: 'merge', path: '', problem: 'names no journal' })
  }
  const byInstance = new Map<number, Told>()
  const mistakes: Mistake[] = []
  for (const one of told) {
    const problem = mismatch(one, first) ?? repetition(one, byInstance.get(one.run.instance))
    if (problem === null) byInstance.set(one.run.instance, one)
    else mistakes.push({ source: one.path, path: '', problem })
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
}

function mismatch({ run }: Told, first: Told): string | null {
  const other =
    run.planHash !== first.run.planHash ? 'plan' : run.runId !== first.run.runId ? 'run' : null
  if (other === null) return null
  return `belongs to another ${other} than ${first.path}: only instances of one run can be merged`
}

function repetition({ run }: Told, before: Told | undefined): string | null {
  if (before === undefined) return null
  return `tells of instance ${run.instance} of ${run.runId}, as ${before.path} does: each instance counts once`
}
