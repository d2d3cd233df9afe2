/** What a twin is made of, and where it is written: nothing is sent. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError, namedTwice, notWhole } from '../../base/mistakes.ts'
import { readRun } from '../../run/folder/folder.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import type { LimitTold } from './analyse/learn/limits.ts'

export interface TwinPlan {
  runs: readonly string[]
  /** Null where the profile is not written. */
  file: string | null
  replays: number | null
}

/** Infers limits from the answers that the runs recorded: another study, which is handed in. */
export type LimitsReader = (runs: readonly string[]) => Promise<readonly LimitTold[]>

export interface TwinOptions extends StudyOptions<TwinPlan> {
  /** Run folders to learn from. */
  runs: readonly string[]
  /** Where the profile is written, `.yaml` or `.yml`. Default: nowhere but in the document. */
  file?: string
  /** Replays of the arrivals on the twin, 0 to 100; default: 5 to 20, by the executions. */
  replays?: number
  /** Seed of the replays. Default 42. */
  seed?: number
  /** Default: limits are not inferred. */
  readLimits?: LimitsReader
}

const REPLAYS = { least: 0, most: 100 }

/** Throws UserError with every mistake. */
export async function designTwin(options: TwinOptions): Promise<TwinPlan> {
  const { runs, file, replays } = options
  const mistakes = namedTwice(runs)
  if (runs.length === 0) {
    mistakes.push({ source: 'RUN', path: '', problem: 'must name one run folder or more' })
  }
  if (replays !== undefined) {
    mistakes.push(...notWhole('--replays', replays, REPLAYS.least, REPLAYS.most))
  }
  if (file !== undefined) mistakes.push(...(await faultsOfFile(file)))
  for (const run of runs) {
    try {
      await readRun(run)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
  return { runs, file: file ?? null, replays: replays ?? null }
}

/** The file is written last: what hinders that is said first. */
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
