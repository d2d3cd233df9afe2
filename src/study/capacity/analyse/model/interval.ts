/**
 * How far a capacity may be from the truth, because the crew was sampled and not known: the
 * bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6). Each
 * replicate is solved under the same draws, so that they differ by their samples alone.
 */
import { deviationOf, meanOf } from '../../../../analysis/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import type { Criterion } from './criteria.ts'
import type { Simulation } from './simulate.ts'
import { FEWEST_BATCHES } from './share.ts'
import { solveBeside, solveNear } from './solve.ts'
import type { CrewSystem, ServiceSample } from './system.ts'
import { saturationPerHour } from './system.ts'
import { studentT } from '../../../../analysis/statistics/distributions/student.ts'

/** Enough for a standard deviation that is itself known within about a tenth. */
const REPLICATES = 40
/** 98 % of a normal distribution lie within this many standard deviations. */
export const Z98 = 2.326

/** Standard deviations of the logarithm of a capacity, by where they come from. */
export interface Spreads {
  /** Because service times were sampled; Infinity where a resampled crew has no capacity. */
  sampled: number
  /** Because workers could not be counted exactly. */
  counted: number
  /** Because no simulation is endless. */
  simulated: number
  /**
   * Because service times differ from those that were learned by more than chance, if by little.
   */
  described: number
  /** Because no load was heavy enough to meet a limit of the queue. */
  untried: number
}

/** Both deviations are estimates, from replicates and batches; Student's t allows for that. */
const OF_REPLICATES = studentT(REPLICATES - 1, 0.98) / Z98
const OF_BATCHES = studentT(FEWEST_BATCHES - 1, 0.98) / Z98

/** The spread of all causes together: `Z98` of it to each side hold the capacity in 98 %. */
export function spreadOfAll({ sampled, simulated, ...others }: Spreads): number {
  const { counted, described, untried } = others
  return Math.hypot(OF_REPLICATES * sampled, counted, OF_BATCHES * simulated, described, untried)
}

export interface Ranged {
  perHour: number
  low: number
  high: number
}

/** The interval of 98 %; twice and half the rate where nothing is known of its spread. */
export function ranged(perHour: number, spread: number): Ranged {
  const width = Number.isFinite(spread) ? Math.exp(Z98 * spread) : 2
  return { perHour, low: perHour / width, high: perHour * width }
}

/** Clocks and rounding leave that much of a service time unknown. */
const RESOLUTION = 1e-4

/** The rate from which on the backlog grows without end. `counted` as in `Spreads`. */
export function saturationOf(system: CrewSystem, counted: number): Ranged {
  const { micros } = system.service
  const ofMean = deviationOf(micros) / meanOf(micros) / Math.sqrt(micros.length)
  return ranged(saturationPerHour(system), Math.hypot(ofMean, counted, RESOLUTION))
}

/**
 * The standard deviation of the logarithm of the capacity; Infinity where a resampled crew has
 * none. `perHour`: the capacity, about.
 */
export function spreadOf(
  simulation: Simulation,
  system: CrewSystem,
  criteria: readonly Criterion[],
  perHour: number,
  random: Random,
): number {
  const centre = solveNear(simulation, system, criteria, perHour)
  if (centre === null) return Infinity
  const logs: number[] = []
  for (let i = 0; i < REPLICATES; i++) {
    const service = resampled(system.service, random.fork('replicate', i))
    const own = { ...system, service }
    const perHour = (centre.perHour * saturationPerHour(own)) / saturationPerHour(system)
    const found = solveBeside(simulation, own, criteria, { perHour, slope: centre.slope })
    if (found === null) return Infinity
    logs.push(Math.log(found / centre.perHour))
  }
  return deviationOf(logs)
}

/**
 * The same for workers that could be counted from outside alone: more of them that are as much
 * slower make the same throughput, which is what was measured.
 */
export function spreadOfSlots(
  simulation: Simulation,
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
 * The same for a queue whose limit, if it has one, was not met: as many as were seen to may wait,
 * or more, up to those of whom the last would still keep a promise of time. Somewhere between them
 * most is carried.
 */
export function spreadOfQueue(
  simulation: Simulation,
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
  // The capacity that is told is the one without a limit: the others must lie within its interval.
  return Math.max(...apart) / Z98
}

/** Shares of the way from the least limit to the most that matters. */
const LIMITS = [0, 0.3, 0.6, 0.9]

/** Draws a sample of the same size with replacement, and sorts it. */
export function resampled({ micros, failed }: ServiceSample, random: Random): ServiceSample {
  const size = micros.length
  const drawn = new Int32Array(size)
  for (let i = 0; i < size; i++) drawn[random.int(size)]!++
  const own = { micros: new Float64Array(size), failed: new Uint8Array(size) }
  let to = 0
  for (let place = 0; place < size; place++) {
    for (let times = drawn[place]!; times > 0; times--) {
      own.micros[to] = micros[place]!
      own.failed[to++] = failed[place]!
    }
  }
  return own
}
