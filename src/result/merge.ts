/** Merge: the journals of several instances, or one again, through one recorder into one document. */
import type { RunContext } from '../analysis/analyse.ts'
import type { ResultDocument } from '../analysis/document.ts'
import type { Ledger } from '../analysis/reconcile.ts'
import type { JournalLine } from '../execution/journal.ts'
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
 * matter. Throws a UserError when a file cannot be read, has no `run` line, or belongs to another plan.
 */
export async function mergeRuns(
  journalPaths: readonly string[],
  options: MergeOptions = {},
): Promise<ResultDocument> {
  const { ledger = null, profile = null, command = null, node = null } = options
  const recorder = createRecorder({ claims: ledger !== null })
  try {
    const plans = new Map<string, string>()
    let unreadableLines = 0
    for (const path of journalPaths) {
      const read = await readInto(recorder, path)
      plans.set(path, read.planHash)
      unreadableLines += read.skipped
    }
    requireOnePlan(plans)
    return recorder.document({ ledger, profile, command, node, unreadableLines })
  } finally {
    recorder.destroy()
  }
}

async function readInto(
  recorder: Recorder,
  path: string,
): Promise<{ planHash: string; skipped: number }> {
  const reader = readJournal(path)
  let planHash: string | null = null
  try {
    for await (const line of reader as AsyncIterable<JournalLine>) {
      if (line.type === 'run') planHash = line.planHash
      recorder.record(line)
    }
  } catch (error) {
    const problem = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    throw new UserError({ source: path, path: '', problem })
  }
  if (planHash !== null) return { planHash, skipped: reader.skipped }
  throw new UserError({
    source: path,
    path: '',
    problem: 'no journal of a run: it has no run line',
  })
}

function requireOnePlan(plans: ReadonlyMap<string, string>): void {
  const [first] = plans
  if (first === undefined) {
    throw new UserError({ source: 'merge', path: '', problem: 'names no journal' })
  }
  const [path, planHash] = first
  const others: Mistake[] = [...plans]
    .filter(([, hash]) => hash !== planHash)
    .map(([other]) => ({
      source: other,
      path: '',
      problem: `belongs to another plan than ${path}: only instances of one run can be merged`,
    }))
  if (others.length > 0) throw new UserError(others)
}
