/** The folders of a study's trials: lines in its own folder, and the run folders below it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { createNamedFolder } from '../../../run/folder/folder.ts'
import type { TrialRun } from './run.ts'

interface TrialFoldersOptions {
  /** The study's folder; null keeps nothing. */
  folder: string | null
  /** Whether each run has a folder with its journal. */
  journals: boolean
  /** The number of the last run folder of former processes; 0 when there is none. */
  lastRun: number
  onTrouble: (trouble: string) => void
}

export class TrialFolders {
  readonly #options: TrialFoldersOptions
  #lastRun: number
  #mayWrite = true

  constructor(options: TrialFoldersOptions) {
    this.#options = options
    this.#lastRun = options.lastRun
  }

  /** A new folder for the run; null when runs have none. */
  async folderOf(run: TrialRun): Promise<{ name: string; run: RunFolder } | null> {
    const { folder, journals } = this.#options
    if (folder === null || !journals) return null
    const name = freeName(folder, run.folder ?? `run-${++this.#lastRun}`)
    return { name, run: await createNamedFolder(folder, name) }
  }

  /** The study continues when nothing can be written, and reports that once. */
  async write(line: (folder: string) => Promise<void>): Promise<void> {
    const { folder, onTrouble } = this.#options
    if (folder === null || !this.#mayWrite) return
    await line(folder).catch((error: Error) => {
      this.#mayWrite = false
      onTrouble(
        `trials cannot be saved: ${error.message}; the study continues, but cannot be resumed`,
      )
    })
  }
}

/** A run that was cut keeps its folder, because what it sent is counted there. */
function freeName(folder: string, name: string): string {
  const isTaken = (wanted: string): boolean => existsSync(join(folder, wanted))
  if (!isTaken(name)) return name
  for (let again = 2; ; again++) {
    const other = `${name}-again-${again}`
    if (!isTaken(other)) return other
  }
}
