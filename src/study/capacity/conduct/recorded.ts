/** Reads run folders as evidence about a crew. */
import { UserError } from '../../../base/mistakes.ts'
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import { cutWords } from '../../../result/ending/cut.ts'
import { readSound } from '../../../journal/audit.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { Recorded, RecordedPlan } from '../analyse/learn/recorded.ts'
import { isOpen, loadOf, untilStopped } from '../analyse/learn/recorded.ts'
import type { LoadSeen } from '../analyse/learn/seen.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import { loadSeenIn } from './observer.ts'

/** Throws UserError for a folder that holds no run. */
export async function readRecorded(folder: string): Promise<Recorded> {
  const { first, seen, profile, cut } = await read(folder, countedFromSending)
  if (cut !== null) {
    throw new UserError({ source: folder, path: '', problem: `is not evidence: ${cutWords(cut)}` })
  }
  return {
    run: folder,
    target: first?.target ?? '',
    profile,
    seen: seenUntilStopped(seen, first?.plan ?? {}),
    isOpen: isOpen(first?.plan ?? {}),
  }
}

/** A load of the search that was stopped before its end. */
export interface CutLoad {
  seen: LoadSeen
  /** All of its kickoffs, including those that do not count. */
  sent: number
}

/** Reads the run of a load that was cut. Throws UserError for a folder that holds none. */
export async function readCut(folder: string): Promise<CutLoad> {
  const { first, seen } = await read(folder, (line) => line)
  return { seen: seenUntilStopped(seen, first?.plan ?? {}), sent: seen.executions.length }
}

async function read(folder: string, mapped: (line: JournalLine) => JournalLine) {
  const { journal, ledger, result } = await readRun(folder)
  const reader = new RunReader()
  const cut = await readSound(journal, (line) => reader.saw(mapped(line)))
  const seen = loadSeenIn(reader, { kind: 'open', perHour: 0, executions: 0 }, ledger)
  return { first: reader.first, seen, profile: result?.run.profile ?? null, cut }
}

function seenUntilStopped(seen: LoadSeen, plan: RecordedPlan): LoadSeen {
  const executions = untilStopped(seen.executions)
  return { ...seen, executions, load: loadOf(plan, executions) }
}

/**
 * Counts times from the sending of a request, since the lateness of the generator is not the
 * crew's.
 */
function countedFromSending(line: JournalLine): JournalLine {
  if (line.type !== 'ended' || line.record.sentMicros === null) return line
  return { ...line, record: { ...line.record, intendedMicros: line.record.sentMicros } }
}
