/**
 * The capacity of a drawn crew, from a long simulation by code of its own: the rate at which its
 * p95 reaches the bound, or 2 % of its executions are turned away.
 */
import { createRandom } from '../../src/base/random.ts'
import type { DrawnCrew } from './crews.ts'
import { serviceMicros, SECOND, SLOWER } from './crews.ts'

const ARRIVALS = 400_000
const WARM_UP = 40_000
const HOUR = 3_600 * SECOND
const PRECISION = 1.002
const TURNED_AWAY = 0.02

export function capacityOf(crew: DrawnCrew): number {
  const slowest = crew.kind === 'slower when full' ? SLOWER : 1
  const saturated = (crew.slots * HOUR) / (crew.meanMicros * slowest)
  let [holds, breaks] = [saturated * 0.05, saturated * (Number.isFinite(crew.queueLimit) ? 1.2 : 1)]
  if (keeps(crew, breaks)) return breaks
  while (breaks / holds > PRECISION) {
    const middle = Math.sqrt(holds * breaks)
    if (keeps(crew, middle)) holds = middle
    else breaks = middle
  }
  return Math.sqrt(holds * breaks)
}

/** Arrivals one by one; a binary heap of ends, and waiting ones in a ring. */
function keeps(crew: DrawnCrew, perHour: number): boolean {
  const random = createRandom(crew.seed).fork('truth')
  const gaps = random.fork('gaps')
  const ends: number[] = []
  const waiting: number[] = []
  let head = 0
  let now = 0
  let [counted, late, away] = [0, 0, 0]
  const begin = (arrived: number, started: number, index: number): void => {
    const load = { busy: ends.length + 1, waiting: waiting.length - head, atMicros: started }
    const end = started + serviceMicros(crew, random, load)
    push(ends, end)
    if (index >= WARM_UP && end - arrived >= crew.boundMicros) late++
  }
  for (let index = 0; index < ARRIVALS; index++) {
    now += (gaps.exponential() * HOUR) / perHour
    while (ends.length > 0 && at(ends, 0) <= now) {
      const ended = pop(ends)
      if (head < waiting.length) begin(at(waiting, head++), ended, index)
    }
    if (index >= WARM_UP) counted++
    if (ends.length < crew.slots) begin(now, now, index)
    else if (waiting.length - head < crew.queueLimit) waiting.push(now)
    else if (index >= WARM_UP) away++
    if (head > 50_000) head -= waiting.splice(0, head).length
  }
  const isLimited = Number.isFinite(crew.queueLimit)
  return (late + away) / counted < 0.05 && (!isLimited || away / counted < TURNED_AWAY)
}

function push(heap: number[], value: number): void {
  let hole = heap.length
  heap.push(value)
  while (hole > 0 && at(heap, (hole - 1) >> 1) > value) {
    heap[hole] = at(heap, (hole - 1) >> 1)
    hole = (hole - 1) >> 1
  }
  heap[hole] = value
}

function pop(heap: number[]): number {
  const least = at(heap, 0)
  const last = heap.pop() ?? 0
  const size = heap.length
  if (size === 0) return least
  let hole = 0
  for (let child = 1; child < size; child = 2 * hole + 1) {
    if (child + 1 < size && at(heap, child + 1) < at(heap, child)) child++
    if (at(heap, child) >= last) break
    heap[hole] = at(heap, child)
    hole = child
  }
  heap[hole] = last
  return least
}

function at(values: readonly number[], place: number): number {
  return values[place] ?? Infinity
}
