/**
 * Measures whether the 95th percentile of the delay is predicted worse than chance allows:
 * predictions from runs of increasing size are compared with other runs of the same size.
 */
import { writtenPolling } from '../../../src/scenario/polling/index.ts'
import type { Crew } from './crews.ts'
import { CREWS } from './crews.ts'
import { recordedRun } from './record.ts'
import { answerTo, FIRST_POLLING, policyOf, Replays } from './truth.ts'

/** The two crews of the first table whose fresh runs deviated most from the prediction. */
export const FURTHEST: readonly Crew[] = CREWS.filter(({ name }) =>
  ['bimodal, rare and long', 'gamma, cv 0.2'].includes(name),
)
export const SIZES = [2_000, 20_000] as const
const SEEDS = { learned: 1, fresh: 7 }

/**
 * Returns, for each size, the deviation of a fresh run from the prediction, as a share of the
 * prediction.
 */
export async function deviationsOf(crew: Crew): Promise<number[]> {
  const learned = { seed: SEEDS.learned, polling: FIRST_POLLING }
  const first = await recordedRun(crew, { executions: SIZES[0], ...learned })
  const { recommended } = answerTo(first)
  if (recommended === null) throw new Error(`nothing is recommended for ${crew.name}`)
  const policy = policyOf(recommended)
  const deviations: number[] = []
  for (const executions of SIZES) {
    const known = await recordedRun(crew, { executions, ...learned })
    const fresh = { executions, seed: SEEDS.fresh, polling: writtenPolling(policy) }
    const { observed } = await recordedRun(crew, fresh)
    const predicted = new Replays(known).figures(policy).delayP95
    deviations.push((observed.delayP95Micros ?? Number.NaN) / predicted - 1)
  }
  return deviations
}
