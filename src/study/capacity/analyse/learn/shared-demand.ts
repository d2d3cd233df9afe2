/**
 * Learns what executions share beside workers: by how much they take longer in a full crew than
 * nearly alone, and the demand of one shared server that explains it.
 */
import { deviationOf, meanOf } from '../../../../analysis/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import { Z98 } from '../model/interval.ts'
import type { Works } from '../model/shared-crew.ts'
import { fullServiceMicros, sharesFor } from '../model/shared-crew.ts'
import type { ServiceSample, SharedDemand } from '../model/system.ts'
import { MICROS_PER_HOUR, serviceSample } from '../model/system.ts'
import type { Learned, LoadFacts } from './learn.ts'
import { isRefused, servicesBy, throughputPerHour } from './learn.ts'
import type { Ran } from './seen.ts'

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

export interface Shares extends Slowdown {
  demand: SharedDemand
}

/** A mean of fewer executions is not compared. */
const FEWEST = 8
/** A slowdown of this many standard errors is not due to chance. */
const SURELY = 3
/** A smaller slowdown moves no capacity that anybody plans by. */
const LEAST = 1.03

/** Null where starts had to be inferred, or too few executions ran alone or in the full crew. */
export function slowdownOf(learned: Learned): Slowdown | null {
  const { loads, slots, slotsSeen, hidden } = learned
  if (slots === null || hidden !== null) return null
  const isAlone = aloneBy(learned)
  const alone = sampleOf(loads.filter(isAlone).flatMap(({ ran }) => ran))
  const held = loads.filter(({ seen: { load } }) => {
    return load.kind === 'closed' && load.clients > slots && load.executions >= HELD * slots
  })
  const full = held.flatMap((load) => lastingServices(load, slotsSeen))
  if (alone.micros.length < FEWEST || full.length < FEWEST) return null
  const [aloneMicros, fullMicros] = [meanOf(alone.micros), meanOf(full)]
  const ratio = fullMicros / aloneMicros
  // A few executions may be alike by chance, and those that wait for a quota are.
  const cv = Math.max(deviationOf(alone.micros) / aloneMicros, deviationOf(full) / fullMicros)
  const aloneError = Math.max(RESOLUTION, cv / Math.sqrt(alone.micros.length))
  const fullError = Math.max(RESOLUTION, deviationOf(full) / fullMicros / Math.sqrt(full.length))
  const width = Math.exp(Z98 * Math.hypot(aloneError, fullError))
  const [low, high] = [ratio / width, ratio * width]
  return { alone, fullMicros, ratio, low, high, aloneError, fullError }
}

/** Whether executions surely take longer in a full crew, by so much that it matters. */
export function isSlower({ ratio, aloneError, fullError }: Slowdown): boolean {
  return ratio > LEAST && Math.log(ratio) > SURELY * Math.hypot(aloneError, fullError)
}

/** Null where executions do not surely take longer in a full crew. */
export function sharesOf(learned: Learned, random: Random): Shares | null {
  const slowdown = slowdownOf(learned)
  if (slowdown === null || learned.slots === null) return null
  const { fullError } = slowdown
  if (!isSlower(slowdown)) return null
  const visits = visitsOf(slowdown.alone)
  const solving = { ...slowdown, slots: learned.slots, visits }
  const works = worksOf(slowdown.alone, random)
  const demandMicros = demandOf(solving, works)
  // By how many per cent the demand changes with one per cent of either mean.
  const change = (times: { work: number; full: number }): number => {
    const own = { ...solving, fullMicros: solving.fullMicros * times.full }
    const other = demandOf(own, {
      ...works,
      micros: works.micros.map((work) => work * times.work),
    })
    return Math.log(other / demandMicros) / Math.log(STEP)
  }
  const demand = {
    demandMicros,
    visits,
    fullMicros: slowdown.fullMicros,
    fullError,
    byService: -change({ work: 1 / STEP, full: 1 }),
    byFull: change({ work: 1, full: STEP }),
  }
  return { ...slowdown, demand }
}

const STEP = 1.01

/** The share of the best throughput up to which executions hardly meet each other. */
const NEARLY_ALONE = 0.3
/** The fewest executions per worker that keep a crew full for long enough. */
const HELD = 2.5

/** The most clients that are nearly alone; at least one. */
export function aloneClients(learned: Learned): number {
  const single = learned.loads.filter(({ seen }) => clientsOf(seen.load) === 1)
  const micros = single.flatMap(({ ran }) => ran.map(({ started, ended }) => ended - started))
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

function clientsOf(load: LoadFacts['seen']['load']): number {
  return load.kind === 'closed' ? load.clients : Infinity
}

/** The throughput of the longest load that kept the crew full, in executions per hour; else 0. */
export function bestPerHour(learned: Pick<Learned, 'loads' | 'slotsSeen'>): number {
  const longest = longestHold(learned)
  return longest === null ? 0 : throughputPerHour(longest)
}

/** The load of the full crew with most executions; null if there is none. */
export function longestHold({
  loads,
  slotsSeen,
}: Pick<Learned, 'loads' | 'slotsSeen'>): LoadFacts | null {
  const held = loads.filter(({ seen: { load } }) => {
    return load.kind === 'closed' && load.clients > slotsSeen && load.executions > load.clients
  })
  return held.reduce<LoadFacts | null>(
    (most, load) => (most === null || load.ran.length > most.ran.length ? load : most),
    null,
  )
}

/**
 * The service times of a held crew without its beginning, when a quota may still have what nobody
 * used before. The last third alone counts where executions surely take longer in it than before.
 */
function lastingServices(load: LoadFacts, slots: number): number[] {
  const ran = load.ran.filter((each) => !isRefused(each)).toSorted((a, b) => a.started - b.started)
  const times = servicesBy({ ...load, ran }, slots, (share) => share >= 0.9).map(
    ({ micros }) => micros,
  )
  const [middle, last] = [1, 2].map((third) =>
    times.slice(
      Math.round((third / 3) * times.length),
      Math.round(((third + 1) / 3) * times.length),
    ),
  )
  const rises =
    middle!.length >= FEWEST &&
    meanOf(last!) - meanOf(middle!) >
      (SURELY * Math.hypot(deviationOf(middle!), deviationOf(last!))) / Math.sqrt(last!.length)
  return rises ? last! : [...middle!, ...last!]
}

/** The relative uncertainty that clocks and rounding leave. */
const RESOLUTION = 1e-3

/** Executions that ran nearly alone, by rising time, with the shares of their tasks. */
function sampleOf(ran: readonly Ran[]): ServiceSample {
  const sorted = ran.toSorted((a, b) => a.ended - a.started - (b.ended - b.started))
  const sample = serviceSample(
    sorted.map(({ started, ended, outcome }) => ({
      micros: Math.max(1, ended - started),
      failed: outcome === 'failed',
    })),
  )
  const most = Math.max(0, ...sorted.map(({ tasks = [] }) => tasks.length))
  if (most === 0) return sample
  const visits = Math.min(MOST_VISITS, most)
  const shares = new Float64Array(sorted.length * visits)
  for (const [i, { tasks = [] }] of sorted.entries()) {
    const sum = tasks.reduce((total, { micros }) => total + micros, 0)
    // Where no time is known, all of the work follows the first visit.
    if (sum === 0) shares[i * visits] = 1
    else
      for (const [task, { micros }] of tasks.entries()) {
        shares[i * visits + Math.floor((task * visits) / most)]! += micros / sum
      }
  }
  return { ...sample, shares }
}

function visitsOf({ micros, shares }: ServiceSample): number {
  return shares === undefined ? USUAL_VISITS : shares.length / micros.length
}

/** Where no tasks are reported. */
const USUAL_VISITS = 3
const MOST_VISITS = 6

/** The executions of each simulation by which the demand is found. */
const SIMULATED = 4_000

/** Own work in random order, whose mean is exactly that of the sample. */
export function worksOf(sample: ServiceSample, random: Random): Works {
  const { micros } = sample
  const places = Int32Array.from({ length: SIMULATED }, () => random.int(micros.length))
  const works = Float64Array.from(places, (place) => micros[place]!)
  const times = meanOf(micros) / meanOf(works)
  return {
    micros: works.map((work) => work * times),
    places,
    shares: sharesFor(sample, visitsOf(sample)),
  }
}

interface Solving {
  slots: number
  visits: number
  fullMicros: number
}

/**
 * Bisects the demand: with it, a simulated crew that is held full takes as long as the real one. A
 * server that needs `fullMicros / slots` is always busy, and so the upper end.
 */
function demandOf({ slots, visits, fullMicros }: Solving, works: Works): number {
  let [low, high] = [0, fullMicros / slots]
  for (let n = 0; n < HALVINGS; n++) {
    const demandMicros = (low + high) / 2
    const shared = { demandMicros, visits }
    const found = fullServiceMicros({ slots, shared }, works)
    if (found < fullMicros) low = demandMicros
    else high = demandMicros
  }
  return (low + high) / 2
}

const HALVINGS = 16
