/** Short words for the tests of arrivals. */
import { createRandom } from '../../../src/base/random.ts'
import { createSchedule } from '../../../src/scenario/arrivals/index.ts'
import type { ArrivalProcess } from '../../../src/scenario/arrivals/processes.ts'
import type { ArrivalPlan, RateSegment } from '../../../src/scenario/plan.ts'
import type { Micros } from '../../../src/base/units.ts'
import { parseDuration, parseRate } from '../../../src/base/units.ts'

/** `segment('0/s', '2/s', '1m')`: a ramp. */
export function segment(from: string, to: string, duration: string): RateSegment {
  return { from: parseRate(from)!, to: parseRate(to)!, forMicros: parseDuration(duration)! }
}

export function constant(rate: string, duration: string): RateSegment {
  return segment(rate, rate, duration)
}

export function open(
  segments: readonly RateSegment[],
  process: ArrivalProcess = { kind: 'uniform' },
): ArrivalPlan {
  return { kind: 'open', segments, process }
}

export function timesOf(arrivals: ArrivalPlan, seed = 1): Micros[] {
  const schedule = createSchedule({ arrivals }, createRandom(seed))
  const times: Micros[] = []
  for (let next = schedule.next(); next !== null; next = schedule.next()) {
    if (next.index !== times.length) throw new Error(`index ${next.index} is out of order`)
    times.push(next.intendedMicros)
  }
  return times
}
