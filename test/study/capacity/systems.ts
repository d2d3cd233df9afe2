/** Crews for tests: known queues, and promises to their users. */
import { createRandom } from '../../../src/base/random.ts'
import type { Criterion } from '../../../src/study/capacity/analyse/model/criteria.ts'
import { criterionOf } from '../../../src/study/capacity/analyse/model/criteria.ts'
import { knownAtOnce } from '../../../src/study/capacity/analyse/model/detection.ts'
import { drawsOf, CrewSimulation } from '../../../src/study/capacity/analyse/model/simulate.ts'
import type { Simulations } from '../../../src/study/capacity/analyse/model/solve.ts'
import type { CrewSystem } from '../../../src/study/capacity/analyse/model/system.ts'
import { parseThreshold } from '../../../src/scenario/thresholds/thresholds.ts'

/** A minute in the mean. */
export const MEAN_MICROS = 60_000_000
const SIZE = 4_000

/** At equal shares of its distribution, so that nothing is sampled. */
export function exponentialTimes(): Float64Array {
  return Float64Array.from({ length: SIZE }, (_, i) => -MEAN_MICROS * Math.log1p(-(i + 0.5) / SIZE))
}

export function constantTimes(): Float64Array {
  return Float64Array.of(MEAN_MICROS)
}

export function system(
  slots: number,
  micros: Float64Array,
  changes: Partial<CrewSystem> = {},
): CrewSystem {
  return {
    slots,
    queueLimit: null,
    retries: null,
    service: { micros, failed: new Uint8Array(micros.length) },
    shared: null,
    neverShare: 0,
    kickoffs: { micros: Float64Array.of(0), admitted: Float64Array.of(0) },
    detection: knownAtOnce(Infinity),
    ...changes,
  }
}

export function simulations(fine = 400_000): Simulations {
  const random = createRandom(11)
  return {
    fine: new CrewSimulation(drawsOf(fine, random.fork('fine'))),
    middle: new CrewSimulation(drawsOf(50_000, random.fork('middle'))),
    rough: new CrewSimulation(drawsOf(15_000, random.fork('rough'))),
  }
}

export function promise(metric: string, text: string): Criterion {
  const threshold = parseThreshold(metric, text)
  if ('problem' in threshold) throw new Error(threshold.problem)
  const criterion = criterionOf(threshold)
  if (criterion === null) throw new Error(`${metric} cannot be answered`)
  return criterion
}

/** Erlang's C: who waits at all (Gross et al., "Fundamentals of Queueing Theory", section 3.3). */
export function waitingShare(slots: number, load: number): number {
  const offered = slots * load
  let term = 1
  let sum = 1
  for (let k = 1; k < slots; k++) {
    term *= offered / k
    sum += term
  }
  const last = ((term * offered) / slots) * (1 / (1 - load))
  return last / (sum + last)
}
