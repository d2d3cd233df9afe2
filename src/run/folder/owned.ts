/** What a process has created and not used is removed when it exits, in whatever way but a kill. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

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
const UNMEASURED = /^(?:\.held-by-.*|\.probe|run\.json|study\.json)$/

/** Removes the folder of a run or a study in which nothing was measured. */
export function removeUnmeasured(folder: string): void {
  const isUnused = (name: string): boolean =>
    UNMEASURED.test(name) || statSync(join(folder, name)).size === 0
  if (readdirSync(folder).every(isUnused)) removeAll(folder)
}
