/**
 * Simulates what was learned of a crew under open Poisson arrivals of one rate, and counts what its
 * users would see. A million executions take well under a second.
 */
import type { Micros } from '../../../../base/units.ts'
import type { Criterion } from './criteria.ts'
import { fateCode } from './criteria.ts'
import type { Draws } from './draws.ts'
import { TURNED_AWAY, waitsOf } from './queue.ts'
import type { CrewSystem, ServiceSample } from './system.ts'
import { MICROS_PER_HOUR } from './system.ts'

/** The first of the arrivals find a crew that is emptier than it will be, and do not count. */
const WARM_UP_SHARE = 0.05

export interface Stay {
  /** Executions in the crew, waiting or running, in the mean. */
  inFlight: number
  waitMeanMicros: Micros
}

const REJECTED = fateCode('rejected')
const STUCK = fateCode('stuck')

/** One for each set of draws: systems and rates that it evaluates get the same ones. */
export class Simulation {
  readonly #draws: Draws
  /** With a gap of 1 in the mean. */
  readonly #unitArrivals: Float64Array
  readonly #arrivals: Float64Array
  readonly #services: Float64Array
  #servicesOf: ServiceSample | null = null
  readonly #waits: Float64Array
  readonly #fates: Uint8Array
  readonly #from: number

  constructor(draws: Draws) {
    const size = draws.gaps.length
    let at = 0
    this.#draws = draws
    this.#unitArrivals = draws.gaps.map((gap) => (at += gap))
    this.#arrivals = new Float64Array(size)
    this.#services = new Float64Array(size)
    this.#waits = new Float64Array(size)
    this.#fates = new Uint8Array(size)
    this.#from = Math.floor(WARM_UP_SHARE * size)
  }

  /**
   * By criterion, at a rate above 0: the share of bad executions less the one that is allowed; broken
   * from 0 on.
   */
  excess(system: CrewSystem, perHour: number, criteria: readonly Criterion[]): number[] {
    this.#run(system, perHour)
    this.#findFates(system)
    return criteria.map((criterion) => {
      const { boundMicros, limit } = criterion
      const share =
        boundMicros === null
          ? this.#shareOfFates(criterion)
          : this.#shareBeyond(criterion, latestStays(system, boundMicros))
      return share - limit
    })
  }

  /** In flight by Little's law: executions that are taken in an hour, times their stay. */
  stay(system: CrewSystem, perHour: number): Stay {
    this.#run(system, perHour)
    let [taken, wait, stay] = [0, 0, 0]
    for (let i = this.#from; i < this.#waits.length; i++) {
      if (this.#waits[i] === TURNED_AWAY) continue
      taken++
      wait += this.#waits[i]!
      stay += this.#waits[i]! + this.#services[i]!
    }
    if (taken === 0) return { inFlight: 0, waitMeanMicros: 0 }
    const share = taken / (this.#waits.length - this.#from)
    return {
      inFlight: (perHour * share * stay) / taken / MICROS_PER_HOUR,
      waitMeanMicros: wait / taken,
    }
  }

  /**
   * The quantile `q` of the time from the intended start until the end is known; Infinity where it
   * lies among those whose end nobody learns of.
   */
  responseQuantile(system: CrewSystem, perHour: number, q: number): Micros {
    this.#run(system, perHour)
    this.#findFates(system)
    const { kickoffs, detection } = system
    const { kickoff } = this.#draws
    const responses = this.#waits.slice(this.#from)
    for (let i = this.#from; i < kickoff.length; i++) {
      const place = Math.floor(kickoff[i]! * kickoffs.micros.length)
      const accepted = kickoffs.micros[place]!
      const end = kickoffs.admitted[place]! + this.#waits[i]! + this.#services[i]! - accepted
      const isNever = this.#fates[i]! >= REJECTED
      const known = isNever ? Infinity : detection.knownMicros(Math.max(0, end), place)
      responses[i - this.#from] = accepted + known
    }
    responses.sort()
    return responses[Math.max(0, Math.ceil(q * responses.length) - 1)]!
  }

  #run(system: CrewSystem, perHour: number): void {
    const gapMicros = MICROS_PER_HOUR / perHour
    for (let i = 0; i < this.#arrivals.length; i++) {
      this.#arrivals[i] = this.#unitArrivals[i]! * gapMicros
    }
    this.#serve(system.service)
    waitsOf(system, this.#arrivals, this.#services, this.#waits)
  }

  #serve(service: ServiceSample): void {
    if (this.#servicesOf === service) return
    const { micros } = service
    const draws = this.#draws.service
    for (let i = 0; i < draws.length; i++) {
      this.#services[i] = micros[Math.floor(draws[i]! * micros.length)]!
    }
    this.#servicesOf = service
  }

  #findFates(system: CrewSystem): void {
    const { kickoffs, neverShare, service } = system
    const latest = latestStays(system, Infinity)
    const { kickoff, service: drawn } = this.#draws
    const size = service.failed.length
    for (let i = 0; i < kickoff.length; i++) {
      const wait = this.#waits[i]!
      const at = kickoff[i]! * kickoffs.micros.length
      const place = Math.floor(at)
      if (wait === TURNED_AWAY) this.#fates[i] = REJECTED
      // What is left of a uniform draw when its place is taken off is uniform again.
      else if (wait + this.#services[i]! > latest[place]! || at - place < neverShare) {
        this.#fates[i] = STUCK
      } else this.#fates[i] = service.failed[Math.floor(drawn[i]! * size)]!
    }
  }

  /** Of executions whose fates count, those that stay longer than each place allows. */
  #shareBeyond({ among }: Criterion, latest: Float64Array): number {
    const counted = maskOf(among)
    const { kickoff } = this.#draws
    let [all, hits] = [0, 0]
    for (let i = this.#from; i < this.#fates.length; i++) {
      const fate = this.#fates[i]!
      if ((counted & (1 << fate)) === 0) continue
      all++
      const place = Math.floor(kickoff[i]! * latest.length)
      if (fate >= REJECTED || this.#waits[i]! + this.#services[i]! > latest[place]!) hits++
    }
    return all === 0 ? 0 : hits / all
  }

  #shareOfFates({ among, bad }: Criterion): number {
    const counted = maskOf(among)
    const marked = maskOf(bad)
    let [all, hits] = [0, 0]
    for (let i = this.#from; i < this.#fates.length; i++) {
      const fate = 1 << this.#fates[i]!
      if ((counted & fate) !== 0) all++
      if ((marked & fate) !== 0) hits++
    }
    return all === 0 ? 0 : hits / all
  }
}

/**
 * By place of the kickoffs: the longest that an execution may stay in the crew so that its end is
 * known before `boundMicros` from the intended start, and before the deadline.
 */
function latestStays({ kickoffs, detection }: CrewSystem, boundMicros: Micros): Float64Array {
  return kickoffs.micros.map((accepted, place) => {
    const latest = detection.latestEnd(boundMicros - accepted, place)
    return latest + accepted - kickoffs.admitted[place]!
  })
}

function maskOf(fates: Criterion['among']): number {
  return fates.reduce((mask, fate) => mask | (1 << fateCode(fate)), 0)
}
