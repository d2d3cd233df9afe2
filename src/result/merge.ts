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
 * matter. Throws a UserError when a file cannot be read, has no `run` line, belongs to another plan or run, or finishes an instance that
 * another one finishes. One instance's lines may stand in several files.
 */
export async function mergeRuns(
  journalPaths: readonly string[],
  options: MergeOptions = {},
): Promise<ResultDocument> {
  const { ledger = null, profile = null, command = null, node = null } = options
  const recorder = createRecorder({ claims: ledger !== null })
  try {
    const journals: Told[] = []
    for (const path of journalPaths) journals.push(await readInto(recorder, path))
    requireOneRun(journals)
    const unreadableLines = journals.reduce((sum, { skipped }) => sum + skipped, 0)
    return recorder.document({ ledger, profile, command, node, unreadableLines })
  } finally {
    recorder.destroy()
  }
}

/** What one journal tells of itself. */
interface Told {
  path: string
  /** Of each instance in it, in order. */
  runs: [RunLine, ...RunLine[]]
  /** Instances whose `finished` line it holds. */
  finished: number[]
  skipped: number
}

async function readInto(recorder: Recorder, path: string): Promise<Told> {
  const reader = readJournal(path)
  const runs: RunLine[] = []
  const finished: number[] = []
  try {
    for await (const line of reader as AsyncIterable<JournalLine>) {
      if (line.type === 'run') runs.push(line)
      else if (line.type === 'finished') finished.push(line.instance)
      recorder.record(line)
    }
  } catch (error) {
    const problem = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    throw new UserError({ source: path, path: '', problem })
  }
  const [first, ...others] = runs
  if (first !== undefined) {
    return { path, runs: [first, ...others], finished, skipped: reader.skipped }
  }
  throw new UserError({
    source: path,
    path: '',
    problem: 'no journal of a run: it has no run line',
  })
}

function requireOneRun(journals: readonly Told[]): void {
  const [first] = journals
  if (first === undefined) {
    throw new UserError({ source: 'merge', path: '', problem: 'names no journal' })
  }
  const mistakes: Mistake[] = journals.flatMap((journal, i) => {
    const problem = mismatch(journal, first) ?? repetition(journal, journals.slice(0, i))
    return problem === null ? [] : [{ source: journal.path, path: '', problem }]
  })
  if (mistakes.length > 0) throw new UserError(mistakes)
}

function mismatch({ runs }: Told, { path, runs: [run] }: Told): string | null {
  const others = [
    ...(runs.some(({ planHash }) => planHash !== run.planHash) ? ['plan'] : []),
    ...(runs.some(({ runId }) => runId !== run.runId) ? ['run'] : []),
  ]
  if (others[0] === undefined) return null
  return `belongs to another ${others[0]} than ${path}: only instances of one run can be merged`
}

function repetition({ runs: [run], finished }: Told, others: readonly Told[]): string | null {
  for (const instance of finished) {
    const other = others.find((journal) => journal.finished.includes(instance))
    if (other === undefined) continue
    return `tells of instance ${instance} of ${run.runId}, as ${other.path} does: each counts once`
  }
  return null
}
