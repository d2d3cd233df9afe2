/** Reads what the trials before a cut left in the study's folder. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { JOURNAL_FILE } from '../../../run/folder/folder.ts'
import { byNumber } from '../../../run/folder/stored.ts'
import type { Spent } from '../../../host/budget.ts'
import { sumOf } from './budget.ts'
import { NOTHING_SPENT } from '../../../host/budget.ts'
import type { Kept, KeptTrial } from './store.ts'
import { spentIn } from './spending.ts'

export interface Former {
  kept: readonly KeptTrial[]
  /** Requests of everything that does not belong to a completed trial. */
  cut: Spent
  /** The names of the folders of runs that do not belong to a completed trial. */
  cutRuns: readonly string[]
  /** The number of the last run. */
  lastRun: number
}

export const NO_FORMER: Former = { kept: [], cut: NOTHING_SPENT, cutRuns: [], lastRun: 0 }

const RUN_FOLDER = /^run-(\d+)$/

export async function formerOf(
  folder: string,
  { trials, otherwise }: Kept,
  simulated: boolean,
): Promise<Former> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const whole = new Set(trials.flatMap(({ folders }) => folders))
  const cut = names.filter((name) => !simulated && !whole.has(name))
  const spent: Spent[] = [otherwise]
  for (const name of cut) spent.push(await spentIn(join(folder, name, JOURNAL_FILE)))
  const numbers = names.map((name) => Number(RUN_FOLDER.exec(name)?.[1] ?? 0))
  return {
    kept: trials,
    cut: sumOf(spent),
    cutRuns: cut.toSorted(byNumber),
    lastRun: Math.max(0, ...numbers),
  }
}
