/** Infers one limiter: its conclusion, and what it cost. */
import { createRandom } from '../../../src/base/random.ts'
import { Inference } from '../../../src/study/limits/analyse/infer/inference.ts'
import type {
  Conclusion,
  Experiment,
  InferenceOptions,
} from '../../../src/study/limits/analyse/infer/interface.ts'
import type { HeaderDialect } from '../../../fake-crew/model/limits/headers.ts'
import type { LimitProfile } from '../../../fake-crew/model/limits/profile.ts'
import type { Drawn } from './draw.ts'
import type { WorldOptions } from './world.ts'
import { World } from './world.ts'
import type { LimitCaveat } from '../../../src/study/limits/sentences/reasons.ts'

/** Another client that uses the same limit would explain these. */
export const SUSPECTS: ReadonlySet<string> = new Set<LimitCaveat['code']>([
  'no-limiter',
  'chance',
  'poor-fit',
  'contradicted',
  'second-limit',
  'changed',
])

export interface Trial {
  inference: Inference

  conclusion: Conclusion
  world: World
  durationMs: number
  cpuMs: number
}

/**
 * The simulated target of a drawn limiter. `headers` is the dialect in which it reports its state;
 * with one, every refusal has a Retry-After.
 */
export function worldOf(
  { seed, limit, serviceMs, jitterMs, anchorUnixMs }: Drawn,
  headers: HeaderDialect = 'none',
  stalls?: WorldOptions['stalls'],
): World {
  const told = limit !== null && headers !== 'none' ? telling(limit) : limit
  return new World({
    seed,
    limits: told === null ? [] : [told],
    headers,
    anchorUnixMs,
    jitterMs,
    serviceMs: () => serviceMs,
    ...(stalls === undefined ? {} : { stalls }),
  })
}

function telling(limit: LimitProfile): LimitProfile {
  return { ...limit, refusal: { ...limit.refusal, retryAfter: 'seconds' } }
}

/**
 * No budget allows this many experiments: reaching it means that the loop does not end, which is a
 * defect.
 */
const MOST_EXPERIMENTS = 2_000

export function inferIn(
  world: World,
  seed: number,
  options: InferenceOptions = {},
  trace?: (experiment: Experiment, world: World, inference: Inference) => void,
): Trial {
  const inference = new Inference(options, createRandom(seed).fork('inference'))
  const begun = process.cpuUsage()
  for (let i = 0; i < MOST_EXPERIMENTS; i++) {
    const step = inference.next(world.evidence, world.nowMs)
    if (step.kind === 'conclusion') {
      const { user, system } = process.cpuUsage(begun)
      const cpuMs = (user + system) / 1_000
      return { conclusion: step, world, durationMs: world.nowMs, cpuMs, inference }
    }
    world.conduct(step)
    trace?.(step, world, inference)
  }
  throw new Error('the inference does not end')
}
