/**
 * Infers the number of workers, and the starts of executions that nothing reports. With the order
 * first come, first served, the ends alone determine the starts for each number of workers, and the
 * likelihood of the resulting service times decides between the numbers.
 */
import { meanOf } from '../statistics/moments.ts'
import { Occupancy } from '../statistics/occupancy.ts'
import type { Micros } from '../../base/units.ts'
import type { Between, ObservedStay } from './observed-stay.ts'
import type { Random } from '../../base/random.ts'
import { createRandom } from '../../base/random.ts'
import { Smooth } from '../statistics/smooth.ts'
import { replaceLeast } from '../../base/collections/heap.ts'

/**
 * A number whose log-likelihood is lower than the best by more than this is ruled out.
 * Chi-squared with one degree of freedom exceeds twice this difference in one of 600 cases.
 */
const UNLIKELY = 5
/** The fewest executions from which the number is inferred. */
const FEWEST = 20

interface HiddenWorkers {
  /** The most likely number. */
  value: number
  /** The least number that is not ruled out. */
  low: number
  /**
   * The largest number that is not ruled out; null if executions did not have to wait, so that any
   * number from `low` on is possible.
   */
  high: number | null
}

/**
 * The most executions of a run that were in the crew at once: with that many workers or more, none
 * waits.
 */
export function mostInCrew(runs: readonly (readonly ObservedStay[])[]): number {
  const inside = runs.map(
    (run) => new Occupancy(run.map(({ accepted, ended }) => [accepted, ended?.high ?? Infinity])),
  )
  return Math.max(1, ...inside.map(({ most }) => most))
}

/**
 * Infers the number of workers from `runs`, each in the order of acceptance. `most` is the largest
 * number of executions that were in the crew at once; any higher number of workers is as good. Null
 * if there are too few executions.
 */
export function workersByEnds(
  runs: readonly (readonly ObservedStay[])[],
  most: number,
): HiddenWorkers | null {
  const count = runs.reduce((sum, run) => sum + run.length, 0)
  if (count < FEWEST) return null
  const scored = workerNumbers(most).map((workers) => ({
    workers,
    score: meanScore(likelihoodsOf(runs, workers)),
  }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a))
  const good = scored.filter(({ score }) => best.score - score <= UNLIKELY)
  const [low, high] = [good[0]!.workers, good.at(-1)!.workers]
  return high < most ? { value: best.workers, low, high } : { value: low, low, high: null }
}

/** The mean of the values; -Infinity if there are none. */
function meanScore(values: readonly number[]): number {
  return values.length === 0 ? -Infinity : meanOf(values)
}

/** The numbers that are tried: every one up to 100, then about one per cent apart, and `most`. */
export function workerNumbers(most: number): number[] {
  const all: number[] = []
  for (let next = 1; next < most; next = Math.max(next + 1, Math.floor(next * 1.01))) all.push(next)
  return [...all, most]
}

/**
 * Returns the bounds of each start. An execution starts when it is accepted and all but `workers` -
 * 1 of those accepted before have ended; one that has not ended keeps its worker. A start after its
 * own end shows that the number is too small. `run` must be in the order of acceptance.
 */
export function startsByEnds(run: readonly ObservedStay[], workers: number): Between[] {
  const lows: Micros[] = []
  const highs: Micros[] = []
  return run.map(({ accepted, ended }, i) => {
    const low = Math.max(accepted, lows[i - workers] ?? -Infinity)
    const high = Math.max(low, highs[i - workers] ?? -Infinity)
    insertRising(lows, ended === null || ended.high === Infinity ? Infinity : ended.low)
    insertRising(highs, ended?.high ?? Infinity)
    return { low, high }
  })
}

export function insertRising(rising: Micros[], value: Micros): void {
  let at = rising.length
  while (at > 0 && rising[at - 1]! > value) at--
  rising.splice(at, 0, value)
}

/** Particles are resampled when the effective number of them falls below this share. */
const UNEVEN = 0.7

export class Particles {
  readonly size: number
  /** A heap per particle; the worker that becomes free first is at its top. */
  #free: Float64Array[]
  #spare: Float64Array[]

  constructor(size: number, workers: number) {
    this.size = size
    this.#free = Array.from({ length: size }, () => new Float64Array(workers).fill(-Infinity))
    this.#spare = Array.from({ length: size }, () => new Float64Array(workers))
  }

  freeAt(particle: number): Micros {
    return this.#free[particle]![0]!
  }

  /** The next execution ends at `end` in all particles. */
  takeAll(end: Micros): void {
    for (const heap of this.#free) replaceLeast(heap, end)
  }

  /**
   * The next execution ends at a different time in each particle. Likely particles are kept, and
   * unlikely ones replaced by copies of them.
   */
  take(ends: Float64Array, weights: Float64Array, random: Random): void {
    for (const [p, heap] of this.#free.entries()) replaceLeast(heap, ends[p]!)
    let [sum, squares] = [0, 0]
    for (const weight of weights) {
      sum += weight
      squares += weight * weight
    }
    if (this.size > 1 && (sum * sum) / squares < UNEVEN * this.size)
      this.#deal(weights, sum, random)
  }

  /** Resamples systematically, with one draw for all particles. */
  #deal(weights: Float64Array, sum: number, random: Random): void {
    const first = random.next()
    let [from, below] = [0, weights[0]!]
    for (let p = 0; p < this.size; p++) {
      const wanted = ((p + first) / this.size) * sum
      while (below < wanted && from < this.size - 1) below += weights[++from]!
      this.#spare[p]!.set(this.#free[from]!)
    }
    ;[this.#free, this.#spare] = [this.#spare, this.#free]
  }
}

/** The number of rounds that find the service times, with one particle, and of those that count. */
const FINDING = 4
const COUNTING = 2
/** The number of particles: it falls with the number of executions, to one for more than 1,200. */
const PARTICLES = { most: 8, executions: 2_400 }
/**
 * All numbers of workers use the same random numbers, so that likelihoods differ only because of
 * the number.
 */
const SEED = 5
/** The likelihood of an execution that would have ended before its start. */
const IMPOSSIBLE = Math.exp(-12)
/**
 * The share of the likelihood that is spread evenly over all ends, so that a service time without
 * similar ones is not impossible.
 */
const UNIFORM_SHARE = 1e-4
/** The range of the logarithms of service times over which `UNIFORM_SHARE` is spread. */
const UNIFORM_SPAN = 5
/**
 * The kernel widths that are tried, as shares of Silverman's: narrower ones suit shapes with
 * several peaks.
 */
const WIDTHS = [1, 0.5, 0.25, 0.12]
/** The least kernel width: clocks distinguish times to about one per cent. */
const LEAST_WIDTH = 0.01
/** The precision of ends, as a share of the mean stay; it is also the least service time. */
const RESOLUTION = 0.01
/** The fewest service times that have a distribution. */
const FEWEST_SERVICES = 5

/**
 * The service time of an execution as one particle drew it, and the bounds that the polls set, all
 * as logarithms.
 */
interface DrawnService {
  /** The run of the execution, and its position in the run. */
  key: string
  log: number
  low: number
  high: number
}

interface FittedTimes {
  times: Smooth
  /** The logarithms of the service times, by execution. */
  own: ReadonlyMap<string, number>
}

/**
 * Returns the log-likelihood of each counting round; empty if hardly any execution could have run.
 */
function likelihoodsOf(
  runs: readonly (readonly ObservedStay[])[],
  workers: number,
): readonly number[] {
  const count = runs.reduce((sum, run) => sum + run.length, 0)
  const most = Math.max(1, Math.min(PARTICLES.most, Math.floor(PARTICLES.executions / count)))
  const random = createRandom(SEED).fork('ends')
  const resolution = RESOLUTION * meanStay(runs)
  const counted: number[] = []
  let found: FittedTimes | null = null
  for (let round = 0; round < FINDING + COUNTING; round++) {
    const isCounting = round >= FINDING
    let likelihood = 0
    const services: DrawnService[] = []
    for (const [i, run] of runs.entries()) {
      const filter = new Filter(i, { found, random, resolution })
      likelihood += filter.run(run, new Particles(isCounting ? most : 1, workers))
      services.push(...filter.services)
    }
    if (services.length < FEWEST_SERVICES) return []
    found = foundIn(services)
    if (isCounting) counted.push(likelihood)
  }
  return counted
}

interface Filtering {
  found: FittedTimes | null
  random: Random
  resolution: Micros
}

function meanStay(runs: readonly (readonly ObservedStay[])[]): Micros {
  const stays = runs
    .flat()
    .flatMap(({ accepted, ended }) =>
      ended === null || ended.high === Infinity ? [] : ended.high - accepted,
    )
  return Math.max(1, stays.reduce((sum, stay) => sum + stay, 0) / Math.max(1, stays.length))
}

/** Filters one run once. */
class Filter {
  readonly services: DrawnService[] = []
  readonly #run: number
  readonly #found: FittedTimes | null
  readonly #random: Random
  readonly #resolution: Micros

  constructor(run: number, { found, random, resolution }: Filtering) {
    this.#run = run
    this.#found = found
    this.#random = random
    this.#resolution = resolution
  }

  /** Returns the logarithm of the likelihood of the run. */
  run(run: readonly ObservedStay[], particles: Particles): number {
    const { size } = particles
    const weights = new Float64Array(size)
    const ends = new Float64Array(size)
    const drawn: (DrawnService | null)[] = Array.from({ length: size }, () => null)
    let likelihood = 0
    for (const [place, { accepted, ended, outcome }] of run.entries()) {
      if (ended === null || ended.high === Infinity) {
        particles.takeAll(Infinity)
        continue
      }
      const isTelling = outcome !== 'failed'
      const key = `${this.#run} ${place}`
      let sum = 0
      for (let p = 0; p < size; p++) {
        const start = Math.max(accepted, particles.freeAt(p))
        const latest = Math.max(ended.high, ended.low + this.#resolution)
        const canRun = start < latest
        const low = Math.log(Math.max(this.#resolution, ended.low - start))
        const high = Math.log(Math.max(2 * this.#resolution, latest - start))
        const log = canRun ? this.#draw(low, high, isTelling) : high
        drawn[p] = canRun ? { key, log, low, high } : null
        ends[p] = canRun ? start + Math.exp(log) : latest
        weights[p] = canRun ? (isTelling ? this.#share({ key, low, high }) : 1) : IMPOSSIBLE
        sum += weights[p]!
      }
      likelihood += Math.log(sum / size)
      const chosen = drawn[chosenBy(weights, this.#random.next() * sum)]
      if (isTelling && chosen != null) this.services.push(chosen)
      particles.take(ends, weights, this.#random)
    }
    return likelihood
  }

  /**
   * Draws a service time between two bounds, all as logarithms; evenly for a failure, which may
   * come at any time.
   */
  #draw(low: number, high: number, isTelling: boolean): number {
    const share = this.#random.next()
    const times = this.#found?.times
    const [below, until] = [times?.below(low) ?? 0, times?.below(high) ?? 0]
    if (times === undefined || !isTelling || until - below < 1e-3) {
      const [from, to] = [Math.exp(low), Math.exp(high)]
      return Math.log(from + share * (to - from))
    }
    return times.logAt(below + share * (until - below), low, high)
  }

  #share({ key, low, high }: Omit<DrawnService, 'log'>): number {
    return this.#found === null ? 1 : shareIn(this.#found, { key, low, high })
  }
}

/** Returns the share of the other service times that lie between the bounds. */
function shareIn(
  { times, own }: FittedTimes,
  { key, low, high }: Omit<DrawnService, 'log'>,
): number {
  const log = own.get(key)
  const itself = log === undefined ? 0 : times.ownBetween(log, low, high)
  const others = times.size - (log === undefined ? 0 : 1)
  const share = Math.max(0, times.below(high) - times.below(low) - itself) / others
  return (1 - UNIFORM_SHARE) * share + UNIFORM_SHARE * Math.min(1, (high - low) / UNIFORM_SPAN)
}

function chosenBy(weights: Float64Array, sum: number): number {
  let left = sum
  const chosen = weights.findIndex((weight) => (left -= weight) <= 0)
  return chosen < 0 ? weights.length - 1 : chosen
}

/**
 * Smooths the service times with the most likely kernel width; each time is judged by the others.
 */
function foundIn(services: readonly DrawnService[]): FittedTimes {
  const logs = Float64Array.from(services, ({ log }) => log)
  const own = new Map(services.map(({ key, log }) => [key, log]))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0)
  const silverman = 1.06 * Math.sqrt(squares / logs.length) * logs.length ** -0.2
  return WIDTHS.map((times) => {
    const smooth = new Smooth(logs, Math.max(LEAST_WIDTH, times * Math.max(LEAST_WIDTH, silverman)))
    const found = { times: smooth, own }
    const likelihood = services.reduce((sum, each) => sum + Math.log(shareIn(found, each)), 0)
    return { found, likelihood }
  }).reduce((best, each) => (each.likelihood > best.likelihood ? each : best)).found
}
