/** The run folders that a study keeps below its own. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Sorts by number: `run-10` comes after `run-9`. */
export function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

const MOST_NAMED = 12

/**
 * The paths of the folders below that contain the file, as an advice names them; null if there are
 * none.
 */
export async function runsBelow(folder: string, file: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => [])
  const runs = names.filter((name) => existsSync(join(folder, name, file))).toSorted(byNumber)
  if (runs.length === 0) return null
  const more = runs.length - MOST_NAMED
  const named = runs.slice(0, MOST_NAMED).map((name) => join(folder, name))
  return `${named.join(' ')}${more > 0 ? ` and ${more} more` : ''}`
}
