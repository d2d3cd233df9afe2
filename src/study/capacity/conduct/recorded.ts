/** Run folders, read as evidence of a crew. */
import type { JournalLine, RunLine } from '../../../execution/record/journal-lines.ts'
import { readJournal } from '../../../journal/reader.ts'
import { readRun } from '../../../run/folder/folder.ts'
import type { Recorded } from '../analyse/learn/recorded.ts'
import { isOpen, loadOf, untilStopped } from '../analyse/learn/recorded.ts'
import { Observer } from './observer.ts'

/** Throws UserError for a folder that holds no run. */
export async function readRecorded(folder: string): Promise<Recorded> {
  const { journal, ledger, result } = await readRun(folder)
  const observer = new Observer()
  let first: RunLine | null = null
  for await (const line of readJournal(journal)) {
    if (line.type === 'run') first ??= line
    observer.saw(countedFromSending(line))
  }
  const plan = first?.plan ?? {}
  const seen = observer.seen({ kind: 'open', perHour: 0, executions: 0 }, ledger)
  const executions = untilStopped(seen.executions)
  return {
    run: folder,
    target: first?.target ?? '',
    profile: result?.run.profile ?? null,
    seen: { ...seen, executions, load: loadOf(plan, executions) },
    isOpen: isOpen(plan),
  }
}

/** What made a generator send late is no time of the crew. */
function countedFromSending(line: JournalLine): JournalLine {
  if (line.type !== 'ended' || line.record.sentMicros === null) return line
  return { ...line, record: { ...line.record, intendedMicros: line.record.sentMicros } }
}
