/** Plans from which runs a twin is learned, and where it is written; sends nothing. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError, namedTwice, notWhole } from '../../base/mistakes.ts'
import { readRun } from '../../run/folder/stored.ts'
import { tellUnused } from '../frame/conduct/unused.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import type { LimitTold } from './analyse/learn/limits.ts'

export interface TwinPlan {
  runs: readonly string[]
  /** Null if the profile is not written. */
  file: string | null
  replays: number | null
}

/**
 * Infers limits from the answers that the runs recorded. Another study does that, and the caller
 * passes it in.
 */
export type LimitsReader = (runs: readonly string[]) => Promise<readonly LimitTold[]>

export interface TwinOptions extends StudyOptions<TwinPlan> {
  /** The run folders to learn from. */
  runs: readonly string[]
  /** The file for the profile, `.yaml` or `.yml`. Default: it is only in the document. */
  file?: string
  /**
   * The number of replays of the arrivals on the twin, 0 to 100. Default: 5 to 20, depending on the
   * number of executions.
   */
  replays?: number
  /** The seed of the replays. Default 42. */
  seed?: number
  /** Default: limits are not inferred. */
  readLimits?: LimitsReader
}

const REPLAYS = { least: 0, most: 100 }
const ONE_REPLAY: Mistake = {
  source: '--replays',
  path: '',
  found: '1',
  problem: 'does not show how much replays vary: expected 0, or at least 2',
}

/** Throws UserError with every mistake. */
export async function designTwin(options: TwinOptions): Promise<TwinPlan> {
  const { runs, file, replays } = options
  const mistakes = namedTwice(runs)
  if (runs.length === 0) {
    mistakes.push({ source: 'RUN', path: '', problem: 'expected at least one run folder' })
  }
  if (replays !== undefined) {
    mistakes.push(...notWhole('--replays', replays, REPLAYS.least, REPLAYS.most))
    if (replays === 1) mistakes.push(ONE_REPLAY)
  }
  if (file !== undefined) mistakes.push(...(await faultsOfFile(file)))
  for (const run of runs) {
    try {
      tellUnused(await readRun(run), options)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
  return { runs, file: file ?? null, replays: replays ?? null }
}

/** Finds what would prevent the file from being written, because that happens last. */
async function faultsOfFile(file: string): Promise<Mistake[]> {
  const mistake = (problem: string): Mistake[] => [
    { source: '--out', path: '', found: file, problem },
  ]
  if (!/\.ya?ml$/.test(file)) return mistake('expected a file that ends in .yaml or .yml')
  const known = await stat(file).catch(() => null)
  if (known?.isDirectory() === true) return mistake('is a folder; expected a file')
  const folder = await stat(dirname(file)).catch(() => null)
  return folder?.isDirectory() === true ? [] : mistake(`there is no folder ${dirname(file)}`)
}
