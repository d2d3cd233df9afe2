/**
 * Simulates the learned crew under open Poisson arrivals of one rate, and counts what its users
 * would see. A million executions take about a tenth of a second.
 */
import { meanOf } from '../../../../result/statistics/moments.ts'
import { rankOf } from '../../../../result/statistics/quantiles.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Criterion } from './criteria.ts'
import { fateCode } from './criteria.ts'
import { Queue, TURNED_AWAY, Retrying } from './queue.ts'
import { LATE, SimulatedShare } from './share.ts'
import type { SharedServer } from './shared-crew.ts'
import { serveOpen, sharesFor } from './shared-crew.ts'
import type { CrewSystem, KickoffSample, ServiceSample } from './system.ts'
import { MICROS_PER_HOUR } from './system.ts'
import type { Random } from '../../../../base/random.ts'

/**
 * The share of the arrivals that is not counted, because the first ones find a crew that is emptier
 * than later.
 */
const WARM_UP_SHARE = 0.05

export interface Stay {
  /** The mean number of executions in the crew, waiting or running. */
  inFlight: number
  waitMeanMicros: Micros
}

const REJECTED = fateCode('rejected')
const STUCK = fateCode('stuck')

/**
 * A simulation with one set of random numbers, which all systems and rates that it evaluates share.
 */
export class CrewSimulation {
  readonly #draws: Draws
  /** The drawn services; with something shared, only the own work. */
  readonly #services: Float64Array
  /** The times with a worker: the services themselves, or what they took beside the others. */
  #took: Float64Array
  #shares: { arrivals: Float64Array; took: Float64Array } | null = null
  /** Whether an execution with this service time fails. */
  readonly #failed: Uint8Array
  #servicesOf: ServiceSample | null = null
  /** The place of each service in its sample. */
  readonly #servedFrom: Int32Array
  /**
   * The indexes in the sample of kickoffs; the rest of the draw decides whether an end ever comes.
   */
  readonly #places: Uint16Array
  readonly #left: Float32Array
  #placesOf: KickoffSample | null = null
  readonly #waits: Float64Array
  /** The fate of each counted execution, with `LATE` for the criterion that is being counted. */
  readonly #marks: Uint8Array
  #waitsOf: { system: CrewSystem; perHour: number } | null = null
  readonly #from: number

  constructor(draws: Draws) {
    const { length } = draws.gaps
    this.#draws = draws
    this.#services = new Float64Array(length)
    this.#took = this.#services
    this.#servedFrom = new Int32Array(length)
    this.#failed = new Uint8Array(length)
    this.#places = new Uint16Array(length)
    this.#left = new Float32Array(length)
    this.#waits = new Float64Array(length)
    this.#from = Math.floor(WARM_UP_SHARE * length)
    this.#marks = new Uint8Array(length - this.#from)
  }

  /** The number of executions at each rate. */
  get size(): number {
    return this.#waits.length
  }

  /** The share of bad executions for each criterion, at a rate above 0. */
  shares(system: CrewSystem, perHour: number, criteria: readonly Criterion[]): SimulatedShare[] {
    this.#run(system, perHour)
    const deadline = latestStays(system, Infinity)
    return criteria.map((criterion) => {
      const { boundMicros } = criterion
      this.#mark(system, deadline, boundMicros === null ? null : latestStays(system, boundMicros))
      return new SimulatedShare(criterion, this.#marks)
    })
  }

  /** `deadline` and `within`: the longest stays, by place of the kickoffs. */
  #mark(system: CrewSystem, deadline: Float64Array, within: Float64Array | null): void {
    const [waits, services, places] = [this.#waits, this.#took, this.#places]
    const [left, failed, marks, from] = [this.#left, this.#failed, this.#marks, this.#from]
    const { neverShare } = system
    for (let i = from; i < waits.length; i++) {
      const place = places[i]!
      const wait = waits[i]!
      const stay = wait + services[i]!
      let mark = failed[i]!
      if (wait === TURNED_AWAY) mark = REJECTED
      else if (stay > deadline[place]! || left[i]! < neverShare) mark = STUCK
      if (within !== null && (mark >= REJECTED || stay > within[place]!)) mark |= LATE
      marks[i - from] = mark
    }
  }

  /**
   * Returns the executions in flight by Little's law: those taken per hour, times their stay. Waits
   * for a retry count too, but few occur at any rate that keeps a promise.
   */
  stay(system: CrewSystem, perHour: number): Stay {
    this.#run(system, perHour)
    let [taken, wait, stay] = [0, 0, 0]
    for (let i = this.#from; i < this.#waits.length; i++) {
      if (this.#waits[i] === TURNED_AWAY) continue
      taken++
      wait += this.#waits[i]!
      stay += this.#waits[i]! + this.#took[i]!
    }
    if (taken === 0) return { inFlight: 0, waitMeanMicros: 0 }
    const share = taken / (this.#waits.length - this.#from)
    return {
      inFlight: (perHour * share * stay) / taken / MICROS_PER_HOUR,
      waitMeanMicros: wait / taken,
    }
  }

  /**
   * Returns the quantile `q` of the time from the intended start until the end is known; Infinity
   * if it lies among executions whose end nobody learns of.
   */
  responseQuantile(system: CrewSystem, perHour: number, q: number): Micros {
    this.#run(system, perHour)
    const { kickoffs, detection, neverShare } = system
    const deadline = latestStays(system, Infinity)
    const [waits, services, places] = [this.#waits, this.#took, this.#places]
    const [left, from] = [this.#left, this.#from]
    const responses = new Float64Array(waits.length - from).fill(Infinity)
    for (let i = from; i < waits.length; i++) {
      const place = places[i]!
      const wait = waits[i]!
      const stay = wait + services[i]!
      if (wait === TURNED_AWAY || stay > deadline[place]! || left[i]! < neverShare) continue
      const accepted = kickoffs.micros[place]!
      const end = kickoffs.admitted[place]! + stay - accepted
      responses[i - from] = accepted + detection.knownMicros(Math.max(0, end), place)
    }
    return atRank(responses, rankOf(responses.length, q) - 1)
  }

  #run(system: CrewSystem, perHour: number): void {
    this.#serve(system.service)
    this.#place(system.kickoffs)
    const { gaps } = this.#draws
    const before = this.#waitsOf
    if (before?.system === system && before.perHour === perHour) return
    this.#waitsOf = { system, perHour }
    if (system.shared !== null) {
      this.#runShared({ ...system, shared: system.shared }, perHour)
      return
    }
    this.#took = this.#services
    const [waits, services] = [this.#waits, this.#services]
    const queue = new Queue(system)
    const gapMicros = MICROS_PER_HOUR / perHour
    if (system.retries === null) {
      queue.takeAll({ gaps, gapMicros, services }, waits)
      return
    }
    const again = new Retrying(system.retries)
    let at = 0
    for (let i = 0; i < waits.length; i++) {
      at += gaps[i]! * gapMicros
      again.until(at, queue, { waits, services })
      waits[i] = queue.take(at, services[i]!)
      if (waits[i] === TURNED_AWAY) again.turnedAway(i, at)
    }
    again.until(Infinity, queue, { waits, services })
  }

  /** Who is turned away is not taken later: retries are not simulated here. */
  #runShared(system: CrewSystem & { shared: SharedServer }, perHour: number): void {
    const { gaps } = this.#draws
    const { length } = gaps
    this.#shares ??= { arrivals: new Float64Array(length), took: new Float64Array(length) }
    const { arrivals, took } = this.#shares
    const gapMicros = MICROS_PER_HOUR / perHour
    let at = 0
    for (let i = 0; i < length; i++) arrivals[i] = at += gaps[i]! * gapMicros
    const works = {
      micros: this.#services,
      places: this.#servedFrom,
      shares: sharesFor(system.service, system.shared.visits),
    }
    const columns = { works, waits: this.#waits, services: took }
    serveOpen(system, arrivals, columns, TURNED_AWAY)
    this.#took = took
  }

  /**
   * Draws service times whose mean is exactly that of the sample, as is done for the gaps between
   * arrivals.
   */
  #serve(sample: ServiceSample): void {
    if (this.#servicesOf === sample) return
    this.#servicesOf = sample
    const { micros, failed } = sample
    const draws = this.#draws.service
    const [services, fails] = [this.#services, this.#failed]
    let sum = 0
    for (let i = 0; i < draws.length; i++) {
      const place = Math.floor(draws[i]! * micros.length)
      this.#servedFrom[i] = place
      const service = micros[place]!
      sum += service
      services[i] = service
      fails[i] = failed[place]!
    }
    const times = (meanOf(micros) * draws.length) / sum
    for (let i = 0; i < draws.length; i++) services[i]! *= times
  }

  /**
   * Splits each uniform draw into an index in the sample and a remainder, which is again uniform.
   */
  #place(kickoffs: KickoffSample): void {
    if (this.#placesOf === kickoffs) return
    this.#placesOf = kickoffs
    const draws = this.#draws.kickoff
    const size = kickoffs.micros.length
    for (let i = 0; i < draws.length; i++) {
      const at = draws[i]! * size
      this.#places[i] = at
      this.#left[i] = at - Math.floor(at)
    }
  }
}

/**
 * Returns, for each kickoff, the longest time that an execution may stay in the crew for its end to
 * be known before `boundMicros` from the intended start, and before the deadline.
 */
function latestStays({ kickoffs, detection }: CrewSystem, boundMicros: Micros): Float64Array {
  return kickoffs.micros.map((accepted, place) => {
    const latest = detection.latestEnd(boundMicros - accepted, place)
    return latest + accepted - kickoffs.admitted[place]!
  })
}

export interface Draws {
  /**
   * The gaps between arrivals: exponential, with a mean of exactly 1. Near saturation the drawn
   * rate decides, and with a million draws it would be off by a thousandth.
   */
  gaps: Float64Array
  /** Uniform numbers in (0, 1) that select the service time and the kickoff latency. */
  service: Float64Array
  kickoff: Float64Array
}

export function drawsOf(count: number, random: Random): Draws {
  const gaps = new Float64Array(count)
  const service = new Float64Array(count)
  const kickoff = new Float64Array(count)
  const [ofGaps, ofService, ofKickoff] = ['gaps', 'service', 'kickoff'].map((name) =>
    random.fork(name),
  )
  let sum = 0
  for (let i = 0; i < count; i++) {
    gaps[i] = ofGaps!.exponential()
    sum += gaps[i]!
    service[i] = ofService!.next()
    kickoff[i] = ofKickoff!.next()
  }
  for (let i = 0; i < count; i++) gaps[i]! *= count / sum
  return { gaps, service, kickoff }
}

/**
 * Returns the value that `values.sort()[rank]` would be, and rearranges the values; `rank` counts
 * from 0. The algorithm is Hoare's ("Algorithm 65: Find", 1961), with the median of three as the
 * pivot.
 */
export function atRank(values: Float64Array, rank: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const pivot = medianOfThree(values[low]!, values[(low + high) >> 1]!, values[high]!)
    let [left, right] = [low, high]
    while (left <= right) {
      while (values[left]! < pivot) left++
      while (values[right]! > pivot) right--
      if (left > right) break
      const moved = values[left]!
      values[left++] = values[right]!
      values[right--] = moved
    }
    // The values between the two indexes are equal to the pivot.
    if (rank <= right) high = right
    else if (rank >= left) low = left
    else return pivot
  }
  return values[rank]!
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
