/** Tries limiters that another client uses too, at random times, while no header reveals it. */
import type { HeaderDialect } from '../../../fake-crew/model/limits/headers.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Conclusion, Experiment } from '../../../src/study/limits/analyse/infer/interface.ts'
import type { Drawn } from './draw.ts'
import { judge, truthOf } from './judge.ts'
import type { Trial } from './trial.ts'
import { inferIn, SUSPECTS, worldOf } from './trial.ts'
import type { World } from './world.ts'

const SURE = 0.99

/** The result of an inference, as the table names it. */
export type Shared = 'right' | 'unknown, named' | 'unknown' | 'uncertain' | 'wrong'

/**
 * Infers a limiter while another client uses `share` of its rate; null under the conditions of
 * `inferBeside`.
 */
export function inferShared(drawn: Drawn, share: number): Shared | null {
  const trial = inferBeside(drawn, share)
  if (trial === null) return null
  return sharedIn(drawn, trial.conclusion)
}

export function sharedIn(drawn: Drawn, conclusion: Conclusion): Shared {
  return namedIn(conclusion, judge(drawn, conclusion).kindRight)
}

/**
 * Infers a limiter while another client uses `share` of the rate that it lets through. Returns null
 * for kinds without a rate, and for limiters that block after an excess.
 */
export function inferBeside(
  drawn: Drawn,
  share: number,
  headers: HeaderDialect = 'none',
): Trial | null {
  const { limit, windowMs, blockMs } = truthOf(drawn)
  if (limit === null || windowMs === null || blockMs !== null) return null
  const isBucket = drawn.kind === 'token-bucket' || drawn.kind.startsWith('leaky')
  const perMs = (share * (isBucket ? 1 : limit)) / windowMs
  // The other client sends as a Poisson process.
  const random = createRandom(drawn.seed).fork('other client')
  const world = besides(worldOf(drawn, headers), () => -Math.log(1 - random.next()) / perMs)
  return inferIn(world, drawn.seed)
}

function namedIn({ rateLimit, outcome, caveats }: Conclusion, isRight: boolean): Shared {
  if (rateLimit.kind === 'unknown') {
    return caveats.some(({ code }) => SUSPECTS.has(code)) ? 'unknown, named' : 'unknown'
  }
  if (isRight) return 'right'
  return outcome === 'settled' && rateLimit.probability >= SURE ? 'wrong' : 'uncertain'
}

/** Another client sends too, one request after the other; `gapMs` draws the time between two. */
export function besides(world: World, gapMs: () => number): World {
  let nextMs = gapMs()
  const conduct = world.conduct.bind(world)
  world.conduct = (experiment: Experiment) => {
    const { startMs, sends } = experiment
    const endMs = Math.max(world.nowMs, startMs) + sends.at(-1)!.afterMs
    for (; nextMs < endMs; nextMs += gapMs()) world.strangerAt(nextMs)
    conduct(experiment)
  }
  return world
}
