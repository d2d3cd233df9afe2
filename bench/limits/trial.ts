/** The inference of one limiter: its conclusion, and what that cost. */
import { createRandom } from '../../src/base/random.ts'
import { createInference } from '../../src/study/limits/analyse/infer/inference.ts'
import type {
  Conclusion,
  Experiment,
  Inference,
  InferenceOptions,
} from '../../src/study/limits/analyse/infer/interface.ts'
import type { Drawn } from './draw.ts'
import { World } from './world.ts'

export interface Trial {
  inference: Inference

  conclusion: Conclusion
  world: World
  durationMs: number
  cpuMs: number
}

export function worldOf({ seed, limit, serviceMs, jitterMs, anchorUnixMs }: Drawn): World {
  return new World({
    seed,
    limits: limit === null ? [] : [limit],
    anchorUnixMs,
    jitterMs,
    serviceMs: () => serviceMs,
  })
}

/** More experiments than any budget allows: a loop that does not end is a defect. */
const MOST_EXPERIMENTS = 2_000

export function inferIn(
  world: World,
  seed: number,
  options: InferenceOptions = {},
  trace?: (experiment: Experiment, world: World) => void,
): Trial {
  const inference = createInference(options, createRandom(seed).fork('inference'))
  const begun = process.cpuUsage()
  for (let i = 0; i < MOST_EXPERIMENTS; i++) {
    const step = inference.next(world.evidence, world.nowMs)
    if (step.kind === 'conclusion') {
      const { user, system } = process.cpuUsage(begun)
      const cpuMs = (user + system) / 1_000
      return { conclusion: step, world, durationMs: world.nowMs, cpuMs, inference }
    }
    world.conduct(step)
    trace?.(step, world)
  }
  throw new Error('the inference does not end')
}
