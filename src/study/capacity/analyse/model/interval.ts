/**
 * Estimates how far a capacity may be from the truth, because the crew is known only by a sample:
 * the bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6). Every
 * replicate is solved with the same random numbers, so that replicates differ only by their
 * samples.
 */
import type { RateRange } from '../../document.ts'
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import type { Criterion } from './criteria.ts'
import type { CrewSimulation } from './simulate.ts'
import { FEWEST_BATCHES } from './share.ts'
import { solveBeside, solveNear } from './solve.ts'
import type { CrewSystem, ServiceSample } from './system.ts'
import { saturationPerHour } from './system.ts'
import { studentT } from '../../../../result/statistics/beta.ts'

/** The number of replicates, which is enough to know their standard deviation to about a tenth. */
const REPLICATES = 40
/** 98 % of a normal distribution lie within this many standard deviations. */
export const Z98 = 2.326

/** Standard deviations of the logarithm of a capacity, by their cause. */
export interface Spreads {
  /** Service times are a sample. Infinity if a resampled crew has no capacity. */
  sampled: number
  /** Workers could not be counted exactly. */
  counted: number
  /** Simulations have a finite length. */
  simulated: number
  /**
   * Observed service times differ slightly, but by more than chance, from those that were learned.
   */
  described: number
  /** No load was heavy enough to reach a limit of the queue. */
  untried: number
}

/**
 * The deviations of replicates and of batches are estimates themselves; Student's t allows for
 * that.
 */
const OF_REPLICATES = studentT(REPLICATES - 1, 0.98) / Z98
const OF_BATCHES = studentT(FEWEST_BATCHES - 1, 0.98) / Z98

/**
 * The spread of all causes together: the capacity lies within `Z98` of it to each side in 98 % of
 * cases.
 */
export function spreadOfAll({ sampled, simulated, ...others }: Spreads): number {
  const { counted, described, untried } = others
  return Math.hypot(OF_REPLICATES * sampled, counted, OF_BATCHES * simulated, described, untried)
}

/**
 * The interval of 98 %. If nothing is known of the spread, it runs from half the rate to twice the
 * rate.
 */
export function ranged(perHour: number, spread: number): RateRange {
  const width = Number.isFinite(spread) ? Math.exp(Z98 * spread) : 2
  return { perHour, low: perHour / width, high: perHour * width }
}

/** The relative uncertainty of service times that clocks and rounding leave. */
const RESOLUTION = 1e-4

/** The rate from which the backlog grows without end. `counted` is that of `Spreads`. */
export function saturationOf(system: CrewSystem, counted: number): RateRange {
  const { micros } = system.service
  const ofMean =
    system.shared?.fullError ?? deviationOf(micros) / meanOf(micros) / Math.sqrt(micros.length)
  return ranged(saturationPerHour(system), Math.hypot(ofMean, counted, RESOLUTION))
}

/**
 * The standard deviation of the logarithm of the capacity; Infinity if a resampled crew has none.
 * `perHour` is an approximation of the capacity.
 */
export function spreadOf(
  simulation: CrewSimulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  perHour: number,
  random: Random,
): number {
  const centre = solveNear(simulation, system, criteria, perHour)
  if (centre === null) return Infinity
  const logs: number[] = []
  for (let i = 0; i < REPLICATES; i++) {
    const own = resampledCrew(system, random.fork('replicate', i))
    const perHour = (centre.perHour * saturationPerHour(own)) / saturationPerHour(system)
    const found = solveBeside(simulation, own, criteria, { perHour, slope: centre.slope })
    if (found === null) return Infinity
    logs.push(Math.log(found / centre.perHour))
  }
  return deviationOf(logs)
}

/**
 * The same for a number of workers that is known only from outside. What was measured is the
 * throughput, which is the same for more workers that are slower by as much.
 */
export function spreadOfSlots(
  simulation: CrewSimulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  perHour: number,
  { low, high }: { low: number; high: number },
): number {
  const [least, most] = [low, high].map((slots) => {
    const { micros, failed } = system.service
    const service = { failed, micros: micros.map((each) => (each * slots) / system.slots) }
    return solveNear(simulation, { ...system, slots, service }, criteria, perHour)?.perHour
  })
  return least == null || most == null ? Infinity : Math.abs(Math.log(most / least)) / (2 * Z98)
}

/**
 * The same for a queue whose limit, if it has one, was not reached. The limit may be anything from
 * the longest queue that was observed up to the longest in which the last execution still keeps a
 * promise of time; the rate is largest somewhere in between.
 */
export function spreadOfQueue(
  simulation: CrewSimulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  perHour: number,
  leastLimit: number,
): number {
  const rateWith = (queueLimit: number): number =>
    solveNear(simulation, { ...system, queueLimit }, criteria, perHour)?.perHour ?? Infinity
  const bounds = criteria.map(({ boundMicros }) => boundMicros ?? 0)
  const mostLimit = system.slots * (Math.max(...bounds) / meanOf(system.service.micros) - 1)
  const apart = LIMITS.map((share) => {
    const limit = leastLimit + Math.floor(share * Math.max(0, mostLimit - leastLimit))
    return Math.abs(Math.log(rateWith(limit) / perHour))
  })
  // The reported capacity is the one without a limit, and the others must lie within its interval.
  return Math.max(...apart) / Z98
}

/**
 * The limits that are tried, as shares of the way from the smallest to the largest one that
 * matters.
 */
const LIMITS = [0, 0.3, 0.6, 0.9]

/**
 * Another crew that could as well have been learned. Its shared demand follows from its own work
 * and from how long executions took while it was full.
 */
export function resampledCrew(system: CrewSystem, random: Random): CrewSystem {
  const service = resampled(system.service, random)
  const { shared } = system
  if (shared === null) return { ...system, service }
  const byWork = shared.byService * Math.log(meanOf(service.micros) / meanOf(system.service.micros))
  const full = shared.fullError * random.fork('full').normal()
  const fullMicros = shared.fullMicros * Math.exp(full)
  const demandMicros = Math.min(
    fullMicros / system.slots,
    shared.demandMicros * Math.exp(byWork + shared.byFull * full),
  )
  const refill =
    shared.refill.kind === 'processor'
      ? { ...shared.refill, workMicros: meanOf(service.micros) }
      : shared.refill
  return { ...system, service, shared: { ...shared, refill, demandMicros, fullMicros } }
}

/** Draws a sample of the same size with replacement, and sorts it. */
export function resampled(
  { micros, failed, shares }: ServiceSample,
  random: Random,
): ServiceSample {
  const size = micros.length
  const parts = (shares?.length ?? 0) / size
  const drawn = new Int32Array(size)
  for (let i = 0; i < size; i++) drawn[random.int(size)]!++
  const own = { micros: new Float64Array(size), failed: new Uint8Array(size) }
  const ofOwn = new Float64Array(size * parts)
  let to = 0
  for (let place = 0; place < size; place++) {
    for (let times = drawn[place]!; times > 0; times--) {
      own.micros[to] = micros[place]!
      if (shares !== undefined) {
        ofOwn.set(shares.subarray(place * parts, (place + 1) * parts), to * parts)
      }
      own.failed[to++] = failed[place]!
    }
  }
  return shares === undefined ? own : { ...own, shares: ofOwn }
}
