/** The capacity of a drawn crew by long simulations of the crew itself. */
import { createRandom } from '../../../src/base/random.ts'
import type { DrawnCrew } from './crews.ts'
import { HOUR, workersPerHour } from './crews.ts'
import { simulate } from './world.ts'

const ARRIVALS = { rough: 8_000, fine: 40_000 }
/** Runs by which a rate is refined: by one alone it is off by 1 %, as others of it show. */
const RUNS = 4
/** How far from the first rate the second one is. */
const BESIDE = 0.015
const WARM_UP = 0.1
const LATE = 0.05

export interface QuotaTruth {
  /** The rate at which the p95 reaches the bound, in kickoffs per hour. */
  capacity: number
  /** The same with one more worker; what executions share stays as it is. */
  withOneMore: number
}

export function truthOf(crew: DrawnCrew): QuotaTruth {
  const capacity = capacityOf(crew)
  const refined = refinedOf(crew, capacity)
  return {
    capacity: refined,
    withOneMore: (capacityWithOneMore(crew, capacity) / capacity) * refined,
  }
}

function capacityOf(crew: DrawnCrew): number {
  const most = workersPerHour(crew) * (crew.kind === 'none' ? 1 : Math.min(1, crew.share))
  let [holds, breaks] = [0.3 * most, most]
  while (breaks / holds > 1.06) {
    const middle = Math.sqrt(holds * breaks)
    if (excessAt(crew, middle, ARRIVALS.rough) < 0) holds = middle
    else breaks = middle
  }
  return solved(crew, { holds, breaks, most })
}

/** By other runs, at that rate and at one beside it. */
function refinedOf(crew: DrawnCrew, perHour: number): number {
  const excessOf = (rate: number): number => {
    const runs = Array.from({ length: RUNS }, (_, i) => lateAt(crew, rate, ARRIVALS.fine, i + 1))
    return Math.log(runs.reduce((sum, late) => sum + late, 0) / RUNS / LATE)
  }
  const here = excessOf(perHour)
  const times = 1 + (here > 0 ? -BESIDE : BESIDE)
  const share = here / (here - excessOf(perHour * times))
  return perHour * times ** (share > 0 ? Math.min(3, share) : 0)
}

/** Both are of the same random numbers, so that they differ by the worker. */
function capacityWithOneMore(crew: DrawnCrew, capacity: number): number {
  const slots = crew.slots + 1
  const other = { ...crew, slots, share: (crew.share * crew.slots) / slots }
  const most = workersPerHour(other) * (crew.kind === 'none' ? 1 : Math.min(1, other.share))
  const breaks = Math.min(most, 1.05 * capacity * (slots / crew.slots))
  return solved(other, { holds: Math.min(0.99 * most, capacity), breaks, most })
}

function solved(
  crew: DrawnCrew,
  { most, ...bracket }: { holds: number; breaks: number; most: number },
): number {
  let { holds, breaks } = bracket
  let [low, high] = [excessAt(crew, holds, ARRIVALS.fine), excessAt(crew, breaks, ARRIVALS.fine)]
  for (let n = 0; low >= 0 && n < 40; n++) {
    ;[breaks, high] = [holds, low]
    holds /= 1.04
    low = excessAt(crew, holds, ARRIVALS.fine)
  }
  for (let n = 0; high < 0 && n < 40; n++) {
    if (breaks >= most) return most
    ;[holds, low] = [breaks, high]
    breaks = Math.min(most, breaks * 1.04)
    high = excessAt(crew, breaks, ARRIVALS.fine)
  }
  for (let n = 0; n < 3; n++) {
    const share = Math.min(0.9, Math.max(0.1, low / (low - high)))
    const rate = holds * (breaks / holds) ** share
    const here = excessAt(crew, rate, ARRIVALS.fine)
    if (here < 0) [holds, low] = [rate, here]
    else [breaks, high] = [rate, here]
  }
  return holds * (breaks / holds) ** (low / (low - high))
}

/** The logarithm of the late share over what is allowed: 0 where the promise breaks. */
function excessAt(crew: DrawnCrew, perHour: number, arrivals: number): number {
  return Math.log(lateAt(crew, perHour, arrivals, 0) / LATE)
}

/** The share of executions that are late; half of one if none is. */
function lateAt(crew: DrawnCrew, perHour: number, arrivals: number, run: number): number {
  const random = createRandom(crew.seed).fork('truth', arrivals + run)
  const gaps = random.fork('gaps')
  const drawn = Float64Array.from({ length: arrivals }, () => gaps.exponential())
  const mean = drawn.reduce((sum, gap) => sum + gap, 0) / arrivals
  let at = 0
  const times = drawn.map((gap) => (at += ((gap / mean) * HOUR) / perHour))
  const done = simulate(crew, { times }, random.fork('work')).slice(WARM_UP * arrivals)
  const late = done.filter(({ arrived, ended }) => ended - arrived >= crew.boundMicros).length
  return Math.max(0.5, late) / done.length
}
