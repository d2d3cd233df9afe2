/** Reads run folders for what they show about a crew. */
import type { JournalLine, RunLine } from '../../../execution/record/journal-lines.ts'
import type { Cut } from '../../../result/ending/cut.ts'
import { readSound } from '../../../journal/audit.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { PlanDocument } from '../../../scenario/describe.ts'
import { Observer } from '../analyse/seen/observer.ts'
import type { SeenRun } from '../analyse/seen/seen.ts'

export interface PastRun {
  folder: string
  seen: SeenRun
  /** Null for a run that came to its end. */
  cut: Cut | null
  target: string
  profile: string | null
  scenario: string
  seed: number
  /** The plan as the journal has it, of which a damaged one may lack parts. */
  plan: Partial<PlanDocument>
  /** The intended start of each execution, on the run's own clock, in rising order. */
  offsetsMicros: readonly number[]
}

/** Throws UserError for a folder that holds no run. */
export async function readPastRun(folder: string): Promise<PastRun> {
  const { journal, ledger, result } = await readRun(folder)
  const observer = new Observer()
  let first = null as RunLine | null
  const see = (line: JournalLine): void => {
    if (line.type === 'run') first ??= line
    observer.saw(line)
  }
  const cut = await readSound(journal, see)
  const seen = observer.seen(ledger)
  return {
    folder,
    seen,
    cut,
    target: first?.target ?? '',
    profile: result?.run.profile ?? null,
    scenario: first?.scenario ?? '',
    seed: first?.seed ?? 0,
    plan: first?.plan ?? {},
    offsetsMicros: seen.executions.map(({ intended }) => Math.round(intended / seen.speed)),
  }
}
