/** Writes the runs of a candidate as the new baseline. */
import { readdir } from 'node:fs/promises'
import { writeArtefacts } from '../../../run/folder/artefacts.ts'
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
  const names = await readdir(folder).catch(() => [])
  const remove = names.filter((name) => BASELINE_FILE.test(name) && !(name in files))
  await writeArtefacts(folder, { files, remove })
}
