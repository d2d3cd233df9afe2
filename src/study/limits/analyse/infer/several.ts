/** A second limit of the same operation, which only shows when the first one is kept for long. */
import type { Random } from '../../../../base/random.ts'
import type { Weighed } from './belief.ts'
import type { Grouped } from './evidence/group.ts'
import { limitFinding } from './finding.ts'
import type { Hypothesis } from './hypotheses/hypothesis.ts'
import { HYPOTHESES } from './hypotheses/list.ts'
import { beside } from './hypotheses/pair.ts'
import type { Finding } from './interface.ts'
import { Pool } from './search/pool.ts'
import { replay } from './search/replay.ts'
import { Work } from './search/work.ts'

/** Rounds of search. */
const ROUNDS = 4
const EFFORT = { tries: 100, fresh: 40, restarts: Infinity }
/** By so many nats, about one miss, the answers must be likelier with a second limit. */
const LEAST_GAIN = 6
/** A pair explains the evidence when it misses no more groups than this. */
const MISSES_ALLOWED = 2

/** `none` where `known` explains all answers; null where no second limit beside it does. */
export function secondLimit(
  known: Weighed,
  grouped: Grouped,
  random: Random,
): Finding | 'none' | null {
  const first = { hypothesis: known.pool.hypothesis, parameters: known.best.parameters }
  const alone = known.pool.hypothesis.model(first.parameters, grouped.timing.sigmaMs)
  const without = replay(alone, grouped).fit
  const work = new Work()
  const pools = HYPOTHESES.filter(canBeSecond).map((hypothesis) => {
    const pool = new Pool(beside(first, hypothesis), random, work)
    for (let i = 0; i < ROUNDS; i++) pool.update(grouped, EFFORT)
    return pool
  })
  const most = Math.max(...pools.map(({ weight }) => weight))
  const weights = pools.map(({ weight }) => Math.exp(weight - most))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const weighed = pools
    .flatMap((pool, i): Weighed[] => {
      const best = pool.particles[0]
      return best === undefined ? [] : [{ pool, best, probability: weights[i]! / sum }]
    })
    .sort((a, b) => b.probability - a.probability)
  const best = weighed[0]
  if (best !== undefined && best.best.fit < without + LEAST_GAIN) return 'none'
  if (best === undefined || best.best.misses > MISSES_ALLOWED) return null
  const kind = best.pool.hypothesis.kind
  const explanations = weighed.filter(({ pool }) => pool.hypothesis.kind === kind)
  return limitFinding(explanations, grouped)
}

/** A steady client is refused once or twice: whether refusals count does not show. */
function canBeSecond({ kind, countsRefused, needsCounts = false }: Hypothesis): boolean {
  const isOfRate = !['none', 'unknown', 'concurrency', 'penalty'].includes(kind)
  return isOfRate && !countsRefused && !needsCounts
}
