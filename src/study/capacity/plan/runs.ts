/** Checks whether run folders can count as evidence, before anything is sent. */
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError, namedTwice } from '../../../base/mistakes.ts'
import type { CapacityOptions } from '../options.ts'
import { tellUnused } from '../../frame/conduct/unused.ts'
import { RESULT_FILE } from '../../../run/folder/folder.ts'
import { readRun } from '../../../run/folder/stored.ts'

const NO_RESULT =
  `has no ${RESULT_FILE}: "crewload resume" continues a run that was cut, and "crewload report ` +
  'render" writes the result of any other again'

/** Returns why runs cannot be evidence; does not read their executions. */
export async function mistakesOfRuns(
  runs: readonly string[],
  options: Pick<CapacityOptions, 'run' | 'onNote'>,
): Promise<Mistake[]> {
  const mistakes = namedTwice(runs)
  for (const source of new Set(runs)) {
    const problem = await problemOf(source, mistakes, options)
    if (problem !== null) mistakes.push({ source, path: '', problem })
  }
  return mistakes
}

async function problemOf(
  folder: string,
  mistakes: Mistake[],
  options: Pick<CapacityOptions, 'run' | 'onNote'>,
): Promise<string | null> {
  try {
    const run = await readRun(folder)
    tellUnused(run, options)
    const { result } = run
    if (result === null) return NO_RESULT
    const { speed } = result.run
    if (speed !== (options.run.speed ?? 1)) return `is not evidence: ${speedWords(speed)}`
    if (result.verdict.outcome !== 'invalid') return null
    return 'is not evidence: its verdict is INVALID, so its figures cannot be trusted'
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    mistakes.push(...error.mistakes)
    return null
  }
}

/** Times are read as measured, so runs and study have one speed. */
function speedWords(speed: number): string {
  return `it ran at speed ${speed}, and this study does not: give --speed ${speed}`
}
