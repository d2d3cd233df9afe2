/** Plans from which runs a twin is learned, and where it is written; sends nothing. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError, notWhole } from '../../base/mistakes.ts'
import { storedRuns } from '../frame/conduct/past-runs.ts'
import type { TwinOptions, TwinPlan } from './options.ts'
import { REPLAYS } from './options.ts'

const ONE_REPLAY: Mistake = {
  source: '--replays',
  path: '',
  found: '1',
  problem: 'does not show how much replays vary: expected 0, or at least 2',
}

/** Throws UserError with every mistake. */
export async function designTwin(options: TwinOptions): Promise<TwinPlan> {
  const { runs, file, replays } = options
  const mistakes: Mistake[] = []
  if (runs.length === 0) {
    mistakes.push({ source: 'RUN', path: '', problem: 'expected at least one run folder' })
  }
  if (replays !== undefined) {
    mistakes.push(...notWhole('--replays', replays, REPLAYS.least, REPLAYS.most))
    if (replays === 1) mistakes.push(ONE_REPLAY)
  }
  if (file !== undefined) mistakes.push(...(await faultsOfFile(file)))
  await storedRuns(runs, mistakes, options)
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
