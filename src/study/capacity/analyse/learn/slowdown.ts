/** Learns by how much executions take longer in a full crew than nearly alone. */
import { deviationOf, meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import { Z98 } from '../model/interval.ts'
import type { ServiceSample } from '../model/system.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'
import { differenceError } from './quantiles.ts'
import type { Learned } from './learn.ts'
import { sampleOf, throughputPerHour } from './learn.ts'
import type { Ran, LoadFacts } from '../seen.ts'
import { clientsOf, serviceOf, servicesOf } from '../seen.ts'
import { studentT } from '../../../../result/statistics/beta.ts'

/** Service times nearly alone, and in a crew that was held full. */
export interface Slowdown {
  alone: ServiceSample
  fullMicros: number
  /** How many times as long executions take in the full crew, with its 98 % interval. */
  ratio: number
  low: number
  high: number
  /** Standard errors of the logarithms of both means. */
  aloneError: number
  fullError: number
}

/** A mean of fewer executions is not compared. */
const FEWEST = 8
/** A slowdown of this many standard errors is not due to chance. */
export const SURELY = 3
/** A smaller slowdown moves no capacity that anybody plans by. */
const LEAST = 1.03

/** Null where starts had to be inferred, or too few executions ran alone or in the full crew. */
export function slowdownOf(learned: Learned): Slowdown | null {
  const { loads, slots, slotsSeen, hidden } = learned
  if (slots === null || hidden !== null) return null
  const isAlone = aloneBy(learned)
  const alone = aloneSampleOf(loads.filter(isAlone).flatMap(({ ran }) => ran))
  const held = loads.filter(({ seen: { load } }) => {
    return load.kind === 'closed' && load.clients > slots && load.executions >= HELD * slots
  })
  const full = fullCrewOf(held, slotsSeen)
  if (alone.micros.length < FEWEST || full === null) return null
  const { micros: fullMicros, error: fullError } = full
  const aloneMicros = meanOf(alone.micros)
  const ratio = fullMicros / aloneMicros
  // A few executions may be alike by chance, and those that wait for a quota are.
  const cv = Math.max(
    deviationOf(alone.micros) / aloneMicros,
    deviationOf(learned.full.micros) / fullMicros,
  )
  const aloneError = Math.max(RESOLUTION, cv / Math.sqrt(alone.micros.length))
  const width = Math.exp(Z98 * Math.hypot(aloneError, fullError))
  const [low, high] = [ratio / width, ratio * width]
  return { alone, fullMicros, ratio, low, high, aloneError, fullError }
}

/** Whether executions surely take longer in a full crew, by so much that it matters. */
export function isSlower({ ratio, aloneError, fullError }: Slowdown): boolean {
  return ratio > LEAST && Math.log(ratio) > SURELY * Math.hypot(aloneError, fullError)
}

/**
 * A slowdown from which on a limit is surely shared: workers that do 80 % of what they could are
 * not to be overlooked.
 */
export const NOT_OVERLOOKED = 1 / 0.8

/** Whether the executions tell that they slow each other down, or that they hardly do. */
export function isDecided(slowdown: Slowdown): boolean {
  return isSlower(slowdown) || slowdown.high < NOT_OVERLOOKED
}

/** The share of the best throughput up to which executions hardly meet each other. */
const NEARLY_ALONE = 0.3
/** The fewest executions per worker that keep a crew full for long enough. */
const HELD = 2.5

/** The most clients that are nearly alone; at least one. */
export function aloneClients(learned: Learned): number {
  const single = learned.loads.filter(({ seen }) => clientsOf(seen) === 1)
  const micros = single.flatMap(({ ran }) => servicesOf(ran))
  if (micros.length === 0) return 1
  const busy = (bestPerHour(learned) * meanOf(micros)) / MICROS_PER_HOUR
  return Math.max(1, Math.floor(NEARLY_ALONE * Math.min(busy, learned.slotsSeen)))
}

function aloneBy(learned: Learned): (load: LoadFacts) => boolean {
  const most = aloneClients(learned)
  const best = bestPerHour(learned)
  return ({ seen: { load } }) =>
    load.kind === 'closed' ? load.clients <= most : load.perHour <= NEARLY_ALONE * best
}

/** The throughput of the longest load that kept the crew full, in executions per hour; else 0. */
export function bestPerHour(learned: Learned): number {
  const longest = longestHold(learned)
  return longest === null ? 0 : throughputPerHour(longest)
}

/** The load of the full crew with most executions; null if there is none. */
export function longestHold({ loads, slotsSeen }: Learned): LoadFacts | null {
  const held = loads.filter(({ seen: { load } }) => {
    return load.kind === 'closed' && load.clients > slotsSeen && load.executions > load.clients
  })
  return held.toSorted((a, b) => b.ran.length - a.ran.length)[0] ?? null
}

/** Executions that ran nearly alone, by rising time, with the shares of their tasks. */
function aloneSampleOf(ran: readonly Ran[]): ServiceSample {
  const sorted = ran.toSorted((a, b) => serviceOf(a) - serviceOf(b))
  const sample = sampleOf(sorted)
  const most = Math.max(0, ...sorted.map(({ tasks = [] }) => tasks.length))
  if (most === 0) return sample
  const visits = Math.min(MOST_VISITS, most)
  const shares = new Float64Array(sorted.length * visits)
  for (const [i, { tasks = [] }] of sorted.entries()) {
    const sum = sumBy(tasks, ({ micros }) => micros)
    // Where no time is known, all of the work follows the first visit.
    if (sum === 0) shares[i * visits] = 1
    else
      for (const [task, { micros }] of tasks.entries()) {
        shares[i * visits + Math.floor((task * visits) / most)]! += micros / sum
      }
  }
  return { ...sample, shares }
}

/** More tasks are counted together. */
const MOST_VISITS = 6

interface FullCrew {
  /** The mean time with a worker. */
  micros: number
  /** The standard error of its logarithm. */
  error: number
}

/** Null for too few executions, or a crew that was not full for long enough. */
function fullCrewOf(loads: readonly LoadFacts[], slots: number): FullCrew | null {
  const lasting = loads.flatMap((load) => lastingOf(load, slots) ?? [])
  const services = lasting.flatMap(({ ran }) => servicesWhileFull(ran, slots))
  if (services.length < FEWEST) return null
  const mean = meanOf(services)
  const error = deviationOf(services) / mean / Math.sqrt(services.length)
  const single = { micros: mean, error: Math.max(RESOLUTION, error) }
  const paced = paceOfStarts(lasting, slots)
  return paced === null || paced.error >= single.error ? single : paced
}

/**
 * The last executions of a load run beside few others. They are left out where they took less, as
 * those do that share something.
 */
function servicesWhileFull(ran: readonly Ran[], slots: number): number[] {
  const [before, last] = [servicesOf(ran.slice(0, -slots)), servicesOf(ran.slice(-slots))]
  const less = meanOf(before) - meanOf(last)
  const isLess = before.length >= slots && less > deviationOf(last) / Math.sqrt(last.length)
  return isLess ? before : [...before, ...last]
}

/** The relative uncertainty that clocks and rounding leave. */
const RESOLUTION = 1e-3
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
  const executions = sumBy(lasting, ({ ran }) => ran.length)
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
  const counted = sumBy(whole, ({ ran }) => ran.length)
  const micros = sumBy(whole, ({ ran, busy }) => (busy * slopeOf(ran) * ran.length) / counted)
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
  const times = servicesOf(byStart(ran))
  const third = Math.floor(times.length / 3)
  const best = { place: third, rise: SURELY_ROSE }
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
const SURELY_ROSE = 4
/** A smaller rise moves no capacity that anybody plans by. */
const LEAST_RISE = 0.03

/** By how many standard errors the times after a place are longer than those before it. */
function riseAt(times: readonly number[], place: number): number {
  const [before, after] = [times.slice(0, place), times.slice(place)]
  const error = differenceError(before, after)
  return (
    (meanOf(after) - meanOf(before)) / Math.max(error, (LEAST_RISE / SURELY_ROSE) * meanOf(before))
  )
}
