/**
 * Computes the capacity of a drawn crew by two long simulations in code that shares nothing with
 * the search: the rate at which the p95 reaches the bound, or 2 % of the executions are turned
 * away.
 */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { DrawnCrew } from './crews.ts'
import { SECOND, SLOWER, slowdown, unitService } from './crews.ts'

/** The arrivals of each of the two simulations. */
export const ARRIVALS = 1_200_000
const FIRST_ARRIVALS = 100_000
const WARM_UP_SHARE = 0.1
const HOUR = 3_600 * SECOND
const PRECISION = 2e-4
const LATE = 0.05
const TURNED_AWAY = 0.02

export interface Truth {
  perHour: number
  /** Half the difference between the two simulations, as a share. */
  error: number
}

interface Drawing {
  /** Draws a service time in units of the mean. Default: by the shape of the crew. */
  unit?: (random: Random) => number
  /** The arrivals of each simulation. Default: `ARRIVALS`. */
  arrivals?: number
}

export function capacityOf(
  crew: DrawnCrew,
  { unit = (random) => unitService(crew, random), arrivals = ARRIVALS }: Drawing = {},
): Truth {
  const [one = 0, other = 0] = [1, 2].map((number) => {
    const random = createRandom(crew.seed).fork('truth', number)
    return solved(crew, unitsOf(random, unit, arrivals))
  })
  const perHour = Math.sqrt(one * other)
  return { perHour, error: Math.abs(one - other) / 2 / perHour }
}

/** The gaps between arrivals and the service times; the mean of each is exactly 1. */
interface Units {
  gaps: Float64Array
  services: Float64Array
}

function unitsOf(random: Random, unit: (random: Random) => number, arrivals: number): Units {
  const [gaps, services] = [random.fork('gaps'), random.fork('services')]
  return {
    gaps: ofMeanOne(arrivals, () => gaps.exponential()),
    services: ofMeanOne(arrivals, () => unit(services)),
  }
}

function ofMeanOne(length: number, draw: () => number): Float64Array {
  const values = Float64Array.from({ length }, draw)
  const mean = values.reduce((sum, value) => sum + value, 0) / length
  return values.map((value) => value / mean)
}

/**
 * Returns the rate at which `excessAt` is 0. It bisects with few arrivals, then interpolates
 * between two rates with all of them.
 */
function solved(crew: DrawnCrew, units: Units): number {
  const isLimited = Number.isFinite(crew.queueLimit)
  const slowest = crew.kind === 'slower when full' ? SLOWER : 1
  const saturated = (crew.slots * HOUR) / (crew.meanMicros * slowest)
  const most = saturated * (isLimited ? 1.2 : 1)
  const excess = (rate: number, arrivals = units.gaps.length): number =>
    excessAt(crew, units, { perHour: rate, arrivals })
  let [holds, breaks] = [saturated * 0.05, most]
  while (breaks / holds > 1.01) {
    const middle = Math.sqrt(holds * breaks)
    if (excess(middle, FIRST_ARRIVALS) < 0) holds = middle
    else breaks = middle
  }
  let [low, high] = [excess(holds), excess(breaks)]
  while (low >= 0) {
    ;[breaks, high] = [holds, low]
    holds /= 1.01
    low = excess(holds)
  }
  while (high < 0) {
    if (breaks >= most) return most
    ;[holds, low] = [breaks, high]
    breaks = Math.min(most, breaks * 1.01)
    high = excess(breaks)
  }
  for (;;) {
    const share = Math.min(0.9, Math.max(0.1, low / (low - high)))
    const rate = holds * (breaks / holds) ** share
    if (breaks / holds < 1 + PRECISION) return rate
    const here = excess(rate)
    if (Math.abs(here) < PRECISION) return rate
    if (here < 0) [holds, low] = [rate, here]
    else [breaks, high] = [rate, here]
  }
}

/**
 * The logarithm of the bad share divided by the share that is allowed: 0 at the rate at which a
 * promise breaks.
 */
function excessAt(
  crew: DrawnCrew,
  { gaps, services }: Units,
  { perHour, arrivals }: { perHour: number; arrivals: number },
): number {
  const { slots, meanMicros, boundMicros, queueLimit } = crew
  const warmUp = WARM_UP_SHARE * arrivals
  const ends = new Float64Array(slots + 1)
  let running = 0
  let waiting: number[] = []
  let head = 0
  let now = 0
  let [counted, late, away] = [0, 0, 0]
  const begin = (arrived: number, started: number, index: number): void => {
    const load = { busy: running + 1, waiting: waiting.length - head, atMicros: started }
    const end = started + meanMicros * at(services, index) * slowdown(crew, load)
    push(ends, running++, end)
    if (index >= warmUp && end - arrived >= boundMicros) late++
  }
  let next = 0
  for (let index = 0; index < arrivals; index++) {
    now += (at(gaps, index) * HOUR) / perHour
    while (running > 0 && at(ends, 0) <= now) {
      const ended = at(ends, 0)
      pop(ends, running--)
      if (head < waiting.length) begin(at(waiting, head++), ended, next++)
    }
    if (index >= warmUp) counted++
    if (running < slots) begin(now, now, next++)
    else if (waiting.length - head < queueLimit) waiting.push(now)
    else if (index >= warmUp) away++
    if (head > 50_000) [waiting, head] = [waiting.slice(head), 0]
  }
  const shares = [(late + away) / counted / LATE, away / counted / TURNED_AWAY]
  const worst = Math.max(...shares.slice(0, Number.isFinite(queueLimit) ? 2 : 1))
  return Math.log(Math.max(worst, 1e-6))
}

function push(heap: Float64Array, size: number, value: number): void {
  let hole = size
  while (hole > 0 && at(heap, (hole - 1) >> 1) > value) {
    heap[hole] = at(heap, (hole - 1) >> 1)
    hole = (hole - 1) >> 1
  }
  heap[hole] = value
}

/** Takes the least of \`size\`. */
function pop(heap: Float64Array, size: number): void {
  const last = at(heap, size - 1)
  let hole = 0
  for (let child = 1; child < size - 1; child = 2 * hole + 1) {
    if (child + 1 < size - 1 && at(heap, child + 1) < at(heap, child)) child++
    if (at(heap, child) >= last) break
    heap[hole] = at(heap, child)
    hole = child
  }
  heap[hole] = last
}

function at(values: ArrayLike<number>, place: number): number {
  return values[place] ?? Infinity
}
