/** Creates folders, and removes when this process exits what it has created and not used. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readdirSync, rmSync, statSync } from 'node:fs'
import process from 'node:process'

/**
 * Creates the folder, and the missing ones above it; an existing one is left as it is. Rejects with
 * the error of the file system. `mkdir` with `recursive` (Node 20 to 24) tries for ever below a
 * folder that takes no children, for example `/proc/x` or a working folder that was removed.
 */
export async function makeFolder(path: string): Promise<void> {
  const above = dirname(path)
  const failure = await failureOf(path)
  if (failure?.code === 'ENOENT' && above !== path) {
    await makeFolder(above)
    const again = await failureOf(path)
    if (again !== null) throw again
  } else if (failure !== null) {
    throw failure
  }
}

/** Null for a folder that is there now. */
async function failureOf(path: string): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path)
    return null
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    const isThere = failure.code === 'EEXIST' && (await stat(path)).isDirectory()
    return isThere ? null : failure
  }
}

/** Removes a path; must not throw for one that is gone. */
type Removal = (path: string) => void

const removals = new Map<string, Removal>()

/** The returned function gives the path up: it is then kept. */
export function removeAtExit(path: string, remove: Removal = removeAll): () => void {
  if (removals.size === 0 && !process.listeners('exit').includes(removeOwned)) {
    process.on('exit', removeOwned)
  }
  removals.set(path, remove)
  return () => void removals.delete(path)
}

function removeOwned(): void {
  for (const [path, remove] of removals) {
    try {
      remove(path)
    } catch {
      // It is gone, or may not be removed.
    }
  }
}

function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

/** Files in which nothing was measured. */
const UNMEASURED = /^(?:\.held-(?:by|for)-.*|\.probe|\.progress.*|run\.json|study\.json)$/

/** Removes the folder of a run or a study in which nothing was measured. */
export function removeUnmeasured(folder: string): void {
  const isUnused = (name: string): boolean =>
    UNMEASURED.test(name) || statSync(join(folder, name)).size === 0
  if (readdirSync(folder).every(isUnused)) removeAll(folder)
}
