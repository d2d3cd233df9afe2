/** Reads the runs of a baseline from its folder. */
import { readdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { RESULT_FILE } from '../../../run/folder/folder.ts'
import type { StoredResult } from '../../frame/comparing/comparable.ts'
import { readResult } from '../../frame/conduct/results.ts'

/** The names of the results that a gate writes. */
export const BASELINE_FILE = /^run-(\d+)\.json$/

/** A folder with more entries is not that of a baseline. */
const MOST_RUNS = 1_000

/**
 * Reads the results named `run-1.json`, `run-2.json` ..., and those of run folders. Returns none if
 * the folder has none or does not exist.
 */
export async function readBaseline(folder: string, mistakes: Mistake[]): Promise<StoredResult[]> {
  const read: StoredResult[] = []
  for (const path of await pathsIn(folder, mistakes)) {
    try {
      read.push({ folder: path, result: await readResult(path) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  // Sorts them by when they were made, because a run may resemble the one before.
  return read.toSorted((a, b) => madeAt(a) - madeAt(b))
}

function madeAt({ result }: StoredResult): number {
  return Date.parse(result.run.startedAt)
}

async function pathsIn(folder: string, mistakes: Mistake[]): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) =>
        entry.isDirectory()
          ? existsSync(join(folder, entry.name, RESULT_FILE))
          : BASELINE_FILE.test(entry.name),
      )
      .map(({ name }) => name)
      .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .slice(0, MOST_RUNS)
      .map((name) => join(folder, name))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    mistakes.push({ source: '--baseline', path: '', found: folder, problem: message })
    return []
  }
}
