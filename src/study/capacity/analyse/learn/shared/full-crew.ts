/**
 * Measures how long executions take in a crew that is held full: the time of busy workers over the
 * executions that begin in it. Where something shared caps the crew, executions end at its pace,
 * so that this varies far less than the times of single executions.
 */
import { deviationOf, meanOf } from '../../../../../result/statistics/moments.ts'
import { studentT } from '../../../../../result/statistics/distributions/student.ts'
import { Z98 } from '../../model/interval.ts'
import type { LoadFacts } from '../learn.ts'
import type { Ran } from '../seen.ts'

export interface FullCrew {
  /** The mean time with a worker. */
  micros: number
  /** The standard error of its logarithm. */
  error: number
}

/** Null for too few executions, or a crew that was not full for long enough. */
export function fullCrewOf(loads: readonly LoadFacts[], slots: number): FullCrew | null {
  const lasting = loads.flatMap((load) => lastingOf(load, slots) ?? [])
  const services = lasting.flatMap(({ ran }) => ran.map(({ started, ended }) => ended - started))
  if (services.length < FEWEST) return null
  const mean = meanOf(services)
  const error = deviationOf(services) / mean / Math.sqrt(services.length)
  const single = { micros: mean, error: Math.max(RESOLUTION, error) }
  const paced = paceOfStarts(lasting, slots)
  return paced === null || paced.error >= single.error ? single : paced
}

/** Fewer executions are no mean. */
const FEWEST = 8
/** The relative uncertainty that clocks and rounding leave. */
export const RESOLUTION = 1e-3
/** A crew whose workers are busy for a smaller share of the time is not full. */
const FULL = 0.9

/** Executions by their starts, after the beginning of a load, and the workers busy meanwhile. */
interface Lasting {
  ran: readonly Ran[]
  busy: number
}

function lastingOf({ ran }: LoadFacts, slots: number): Lasting | null {
  const all = byStart(ran)
  const lasting = all.slice(lastingFrom(all))
  const [from, to] = [lasting[0]?.started ?? 0, lasting.at(-1)?.started ?? 0]
  if (to <= from) return null
  const busyMicros = all.reduce((sum, { started, ended }) => {
    return sum + Math.max(0, Math.min(ended, to) - Math.max(started, from))
  }, 0)
  const busy = busyMicros / (to - from)
  return busy < FULL * slots ? null : { ran: lasting, busy }
}

/** By the pace of starts, and how it differs between parts of the loads; null for too few parts. */
function paceOfStarts(lasting: readonly Lasting[], slots: number): FullCrew | null {
  const executions = lasting.reduce((sum, { ran }) => sum + ran.length, 0)
  const size = Math.max(LEAST_PART, slots, Math.ceil(executions / MOST_PARTS))
  const parts = lasting.flatMap(({ ran, busy }) => {
    const number = Math.floor(ran.length / size)
    return Array.from({ length: number }, (_, i) => {
      const [from, to] = [i, i + 1].map((each) => Math.round((each / number) * ran.length))
      return busy * slopeOf(ran.slice(from, to))
    })
  })
  if (parts.length < FEWEST_PARTS) return null
  const whole = lasting.filter(({ ran }) => ran.length >= size)
  const counted = whole.reduce((sum, { ran }) => sum + ran.length, 0)
  const micros = whole.reduce(
    (sum, { ran, busy }) => sum + (busy * slopeOf(ran) * ran.length) / counted,
    0,
  )
  const widening = studentT(parts.length - 1, 0.98) / Z98
  const error = (widening * deviationOf(parts)) / meanOf(parts) / Math.sqrt(parts.length)
  return { micros, error: Math.max(RESOLUTION, error) }
}

/** The fewest executions of a part; the number of parts. */
const LEAST_PART = 8
const [FEWEST_PARTS, MOST_PARTS] = [5, 12]

/** The time from one start to the next: the slope of the straight line through all of them. */
function slopeOf(ran: readonly Ran[]): number {
  const middle = (ran.length - 1) / 2
  const mean = meanOf(ran.map(({ started }) => started))
  let [products, squares] = [0, 0]
  for (const [place, { started }] of ran.entries()) {
    products += (place - middle) * (started - mean)
    squares += (place - middle) ** 2
  }
  return products / squares
}

/**
 * The place of the first execution after the beginning, when a quota may still have what nobody
 * used before. It is the third part of a load; where executions surely become longer at some
 * later place, or by then already, it is that place.
 */
export function lastingFrom(ran: readonly Ran[]): number {
  const times = byStart(ran).map(({ started, ended }) => ended - started)
  const third = Math.floor(times.length / 3)
  const best = { place: third, rise: SURELY }
  for (let place = FEWEST; place <= 2 * third; place += 1 + (times.length >> 6)) {
    const rise = riseAt(times, place)
    if (rise > best.rise) Object.assign(best, { place, rise })
  }
  return best.place
}

function byStart(ran: readonly Ran[]): Ran[] {
  return ran.toSorted((a, b) => a.started - b.started)
}

/** A rise of this many standard errors is not due to chance, at any of the places. */
const SURELY = 4
/** A smaller rise moves no capacity that anybody plans by. */
const LEAST = 0.03

/** By how many standard errors the times after a place are longer than those before it. */
function riseAt(times: readonly number[], place: number): number {
  const [before, after] = [times.slice(0, place), times.slice(place)]
  const error = Math.hypot(
    deviationOf(before) / Math.sqrt(before.length),
    deviationOf(after) / Math.sqrt(after.length),
  )
  return (meanOf(after) - meanOf(before)) / Math.max(error, (LEAST / SURELY) * meanOf(before))
}
