/**
 * How likely the ends of executions are, were there so many workers: a particle filter (Gordon,
 * Salmond and Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993).
 * First come, first served leaves one thing open: when each execution ended between its polls. Each
 * particle draws a moment, from service times as the round before found them, and so knows when the
 * next execution begins. The share of service times that end between the polls is the likelihood.
 */
import type { Micros } from '../../base/units.ts'
import type { Random } from '../../base/random.ts'
import { createRandom } from '../../base/random.ts'
import { Smooth } from '../statistics/smooth.ts'
import { Particles } from './particles.ts'
import type { Stayed } from './stayed.ts'

/** Rounds that find the service times, by one particle, and those that count. */
const FINDING = 4
const COUNTING = 2
/** Particles of the filter: fewer with many executions, and one with more than 1,200 of them. */
const PARTICLES = { most: 8, executions: 2_400 }
/** The same draws for every number of workers, so that these alone make a difference. */
const SEED = 5
/** An execution that ended before its start is all but impossible; a logarithm. */
const IMPOSSIBLE = Math.exp(-12)
/** Lent to every end alike, so that a service time without neighbours is not impossible. */
const LENT = 1e-4
/** The range of service times, in powers of e, over which `LENT` is spread. */
const LENT_SPAN = 5
/** Shares of Silverman's width: narrower ones suit shapes with several peaks. */
const WIDTHS = [1, 0.5, 0.25, 0.12]
/** Clocks do not tell times closer than about a hundredth. */
const LEAST_WIDTH = 0.01
/** Share of the mean stay: ends are known no better, and no service takes less. */
const RESOLUTION = 0.01
/** Fewer service times have no distribution. */
const FEWEST = 5

/** A service time as one particle has it, and what the polls allow it. */
interface Service {
  /** Its execution: run and place in the run. */
  key: string
  log: number
  low: number
  high: number
}

interface Found {
  times: Smooth
  /** Logarithms of the service times, by execution. */
  own: ReadonlyMap<string, number>
}

/** The log-likelihood of each counting round; empty where hardly an execution could have run. */
export function likelihoodsOf(
  runs: readonly (readonly Stayed[])[],
  workers: number,
): readonly number[] {
  const count = runs.reduce((sum, run) => sum + run.length, 0)
  const most = Math.max(1, Math.min(PARTICLES.most, Math.floor(PARTICLES.executions / count)))
  const random = createRandom(SEED).fork('ends')
  const resolution = RESOLUTION * meanStay(runs)
  const counted: number[] = []
  let found: Found | null = null
  for (let round = 0; round < FINDING + COUNTING; round++) {
    const isCounting = round >= FINDING
    let likelihood = 0
    const services: Service[] = []
    for (const [i, run] of runs.entries()) {
      const filter = new Filter(i, { found, random, resolution })
      likelihood += filter.run(run, new Particles(isCounting ? most : 1, workers))
      services.push(...filter.services)
    }
    if (services.length < FEWEST) return []
    found = foundIn(services)
    if (isCounting) counted.push(likelihood)
  }
  return counted
}

interface Filtering {
  found: Found | null
  random: Random
  resolution: Micros
}

function meanStay(runs: readonly (readonly Stayed[])[]): Micros {
  const stays = runs
    .flat()
    .flatMap(({ accepted, ended }) =>
      ended === null || ended.high === Infinity ? [] : ended.high - accepted,
    )
  return Math.max(1, stays.reduce((sum, stay) => sum + stay, 0) / Math.max(1, stays.length))
}

/** One run, once. */
class Filter {
  readonly services: Service[] = []
  readonly #run: number
  readonly #found: Found | null
  readonly #random: Random
  readonly #resolution: Micros

  constructor(run: number, { found, random, resolution }: Filtering) {
    this.#run = run
    this.#found = found
    this.#random = random
    this.#resolution = resolution
  }

  /** The logarithm of its likelihood. */
  run(run: readonly Stayed[], particles: Particles): number {
    const { size } = particles
    const weights = new Float64Array(size)
    const ends = new Float64Array(size)
    const drawn: (Service | null)[] = Array.from({ length: size }, () => null)
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

  /** A failure cuts its service short, anywhere. */
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

  #share({ key, low, high }: Omit<Service, 'log'>): number {
    return this.#found === null ? 1 : shareIn(this.#found, { key, low, high })
  }
}

/** The share of the service times, its own left out. */
function shareIn({ times, own }: Found, { key, low, high }: Omit<Service, 'log'>): number {
  const log = own.get(key)
  const itself = log === undefined ? 0 : times.ownBetween(log, low, high)
  const others = times.size - (log === undefined ? 0 : 1)
  const share = Math.max(0, times.below(high) - times.below(low) - itself) / others
  return (1 - LENT) * share + LENT * Math.min(1, (high - low) / LENT_SPAN)
}

function chosenBy(weights: Float64Array, sum: number): number {
  let left = sum
  const chosen = weights.findIndex((weight) => (left -= weight) <= 0)
  return chosen < 0 ? weights.length - 1 : chosen
}

/**
 * Smooths the service times with the width that makes them likeliest, each judged by the others.
 */
function foundIn(services: readonly Service[]): Found {
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
