/** Reads run folders for what they show about a crew. */
import type { Cut } from '../../../result/ending/cut.ts'
import { readSound } from '../../../journal/audit.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { PlanDocument } from '../../../scenario/describe.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import type { SeenRun } from '../analyse/seen.ts'
import { MOST_EXECUTIONS, seenIn } from '../analyse/seen.ts'

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
  const reader = new RunReader(MOST_EXECUTIONS)
  const cut = await readSound(journal, (line) => reader.saw(line))
  const { first, target } = reader
  const seen = seenIn(reader, ledger)
  return {
    folder,
    seen,
    cut,
    target,
    profile: result?.run.profile ?? null,
    scenario: first?.scenario ?? '',
    seed: first?.seed ?? 0,
    plan: first?.plan ?? {},
    offsetsMicros: seen.executions.map(({ intended }) => Math.round(intended / seen.speed)),
  }
}
