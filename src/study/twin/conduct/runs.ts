/** Reads run folders for what they show about a crew. */
import type { RunLine } from '../../../execution/record/journal-lines.ts'
import { readJournal } from '../../../journal/reader.ts'
import { readRun } from '../../../run/folder/folder.ts'
import type { PlanDocument } from '../../../scenario/describe.ts'
import { Observer } from '../analyse/seen/observer.ts'
import type { SeenRun } from '../analyse/seen/seen.ts'

export interface PastRun {
  seen: SeenRun
  target: string
  profile: string | null
  scenario: string
  seed: number
  /** The plan as the journal has it; a run of an older version may lack parts of it. */
  plan: Partial<PlanDocument>
  /** The intended start of each execution, on the run's own clock, in rising order. */
  offsetsMicros: readonly number[]
}

/** Throws UserError for a folder that holds no run. */
export async function readPastRun(folder: string): Promise<PastRun> {
  const { journal, ledger, result } = await readRun(folder)
  const observer = new Observer()
  let first: RunLine | null = null
  for await (const line of readJournal(journal)) {
    if (line.type === 'run') first ??= line
    observer.saw(line)
  }
  const seen = observer.seen(ledger)
  return {
    seen,
    target: first?.target ?? '',
    profile: result?.run.profile ?? null,
    scenario: first?.scenario ?? '',
    seed: first?.seed ?? 0,
    plan: first?.plan ?? {},
    offsetsMicros: seen.executions.map(({ intended }) => Math.round(intended / seen.speed)),
  }
}
