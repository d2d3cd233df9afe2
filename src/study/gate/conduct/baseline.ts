/** Writes the runs of a candidate as the new baseline. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeArtefacts } from '../../../run/folder/folder.ts'
import type { StoredResult } from '../../frame/comparing/comparable.ts'
import { comparedPart } from '../../frame/comparing/comparable.ts'
import { BASELINE_FILE } from '../plan/baseline.ts'

/**
 * Writes the part of each result that a comparison reads as `run-1.json`, `run-2.json` ..., small
 * enough for a repository, and removes those that were in the folder. Rejects if the folder cannot
 * be written.
 */
export async function writeBaseline(folder: string, runs: readonly StoredResult[]): Promise<void> {
  const files = Object.fromEntries(
    runs.map(({ result }, i) => [`run-${i + 1}.json`, `${JSON.stringify(comparedPart(result))}\n`]),
  )
  await writeArtefacts(folder, files)
  const names = await readdir(folder)
  const former = names.filter((name) => BASELINE_FILE.test(name) && !(name in files))
  for (const name of former) await rm(join(folder, name))
}
