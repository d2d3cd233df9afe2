/** Creates folders, and removes when this process exits what it has created and not used. */
import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readdirSync, rmSync, rmdirSync, statSync } from 'node:fs'
import process from 'node:process'

/**
 * Creates the folder, and the missing ones above it; an existing one is left as it is. Rejects with
 * the error of the file system. `mkdir` with `recursive` (Node 20 to 24) tries for ever below a
 * folder that takes no children, for example `/proc/x` or a working folder that was removed.
 */
export async function makeFolder(path: string, onMade?: (path: string) => void): Promise<void> {
  const above = dirname(path)
  const failure = await failureOf(path, onMade)
  if (failure?.code === 'ENOENT' && above !== path) {
    await makeFolder(above, onMade)
    const again = await failureOf(path, onMade)
    if (again !== null) throw again
  } else if (failure !== null) {
    throw failure
  }
}

/** Null for a folder that is there now. */
async function failureOf(
  path: string,
  onMade?: (path: string) => void,
): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path)
    onMade?.(path)
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

/** The last first: a folder after what is in it. */
function removeOwned(): void {
  for (const [path, remove] of [...removals].toReversed()) {
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

/** Makes the folders above that of a run. Those that are new and empty are removed at exit. */
export async function makeBase(path: string): Promise<void> {
  await makeFolder(path, (made) => void removeAtExit(resolve(made), removeEmpty))
}

function removeEmpty(path: string): void {
  rmdirSync(path)
}

/** Removes the folder of a run or a study at once, and what `makeBase` made for it. */
export async function discardFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  let above = dirname(resolve(folder))
  try {
    for (; removals.get(above) === removeEmpty; above = dirname(above)) removeEmpty(above)
  } catch {
    // It holds something else, or is gone.
  }
}

/** Files in which nothing was measured. */
const UNMEASURED = /^(?:\.held-(?:by|for)-.*|\.probe|\.progress.*|run\.json|study\.json)$/

/** Removes the folder of a run or a study in which nothing was measured. */
export function removeUnmeasured(folder: string): void {
  const isUnused = (name: string): boolean =>
    UNMEASURED.test(name) || statSync(join(folder, name)).size === 0
  if (readdirSync(folder).every(isUnused)) removeAll(folder)
}
