/** Reads the runs of a baseline from its folder. */
import { readdir, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Mistake } from '../../../../base/mistakes.ts'
import { UserError } from '../../../../base/mistakes.ts'
import { landArtefacts } from '../../../../run/folder/artefacts.ts'
import { RESULT_FILE } from '../../../../run/folder/folder.ts'
import type { StoredResult } from '../../comparable.ts'
import { readResult } from '../../../frame/conduct/results.ts'

/** The names of the results that a gate writes. */
export const BASELINE_FILE = /^run-(\d+)\.json$/

/** A folder with more entries is not that of a baseline. */
const MOST_RUNS = 1_000

/** How often to read again because a gate replaced the runs meanwhile. */
const MOST_READINGS = 20

/**
 * Reads the results named `run-1.json`, `run-2.json` ..., and those of run folders: all of one
 * state of the folder, though another gate replace them, and though one was killed over it. Returns
 * none if the folder has none or does not exist.
 */
export async function readBaseline(folder: string, mistakes: Mistake[]): Promise<StoredResult[]> {
  for (let reading = 1; ; reading++) {
    await landArtefacts(folder).catch((error: Error) => {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    })
    const before = await stateOf(folder)
    const found: Mistake[] = []
    const runs = await readRuns(folder, found)
    if (reading < MOST_READINGS && (await stateOf(folder)) !== before) continue
    mistakes.push(...found)
    return runs
  }
}

/** Changes when a file of the folder is replaced. */
async function stateOf(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => null)
      return `${name} ${found?.ino} ${found?.mtimeMs}`
    }),
  )
  return files.toSorted((a, b) => (a < b ? -1 : 1)).join('\n')
}

/** As `readBaseline`, while nobody writes there. */
export async function readRuns(folder: string, mistakes: Mistake[]): Promise<StoredResult[]> {
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
    const names = await readdir(folder)
    return names
      .filter((name) => BASELINE_FILE.test(name) || existsSync(join(folder, name, RESULT_FILE)))
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
