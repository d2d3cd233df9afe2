/** Models the crew that was learned, and estimates its capacity and how uncertain that is. */
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../../base/units.ts'
import type { Confirmation, ConfirmTerms } from '../confirm/confirm.ts'
import { agrees, confirm, distanceOf } from '../confirm/confirm.ts'
import { cliffOf } from '../learn/cliff.ts'
import type { Learned, LoadFacts } from '../learn/learn.ts'
import { mostInCrew } from '../learn/recorded.ts'
import { retriesOf } from '../learn/retries.ts'
import type { Visiting } from '../learn/shared/demand.ts'
import { ONE_PER_TASK, sharesOf } from '../learn/shared/demand.ts'
import type { Criterion } from '../model/criteria.ts'
import type { Detection } from '../model/detection.ts'
import { drawsOf } from '../model/draws.ts'
import { spreadOf, spreadOfAll, spreadOfQueue, spreadOfSlots, Z98 } from '../model/interval.ts'
import { Simulation } from '../model/simulate.ts'
import type { Simulations } from '../model/solve.ts'
import { MIDDLE, ROUGH, solve } from '../model/solve.ts'
import type { CrewSystem } from '../model/system.ts'
import type { Woken } from '../scaling/loads.ts'
import type { Estimate } from './estimate.ts'
import { isOverfilled } from './loads.ts'

export interface ModelTerms {
  criteria: readonly Criterion[]
  /** The half-width of the interval, as a share of the capacity, at which the search ends. */
  within: number
  /** The most attempts of a kickoff after the first; default none. */
  kickoffRetries?: number
  /**
   * Returns when clients learn of ends, given the time that a poll takes, which is known once some
   * have been sent.
   */
  detectionOf: (requestMicros: number) => Detection
  random: Random
  /** A minute of the crew, which a time-lapse shortens; default 60 s. */
  minuteMicros?: Micros
  /** The number of executions of the largest simulation; default a million. */
  simulated?: number
}

const FINE = 1_000_000
const SHARED_SIZES = { fine: 200_000, middle: 50_000, rough: 12_000 }

/**
 * Why executions are slower beside others: they visit a server, in one way or another, or they are
 * slower by the number at work, and share no server.
 */
type Slowness = { kind: 'server'; visiting: Visiting } | { kind: 'paced' }

const LEARNED: Slowness = { kind: 'server', visiting: ONE_PER_TASK }

/** What is tried where arrivals contradict the server that was learned. */
function othersOf(minuteMicros: Micros): Slowness[] {
  const refills = ['as-shown', { windowMicros: minuteMicros }] as const
  const servers = [1, 2, 3].flatMap((perTask) =>
    refills.map((refill) => ({ kind: 'server' as const, visiting: { perTask, refill } })),
  )
  return [...servers, { kind: 'paced' }]
}

/** How far one server is from what crews really share, as a standard deviation: by the bench. */
const ABOUT = 0.01

export class Estimator {
  readonly #terms: ModelTerms
  readonly #simulations: Simulations
  /** Smaller ones, since what is shared makes each execution several events; made when needed. */
  #ofShared: Simulations | null = null
  #slowness = LEARNED

  constructor(terms: ModelTerms) {
    this.#terms = terms
    this.#simulations = this.#simulationsOf({ fine: FINE, middle: MIDDLE, rough: ROUGH })
  }

  #simulationsOf(sizes: Record<keyof Simulations, number>): Simulations {
    const draws = this.#terms.random.fork('simulation')
    const most = this.#terms.simulated ?? FINE
    const sized = (name: keyof Simulations): Simulation =>
      new Simulation(drawsOf(Math.min(sizes[name], most), draws.fork(name)))
    return { fine: sized('fine'), middle: sized('middle'), rough: sized('rough') }
  }

  simulationsFor(shared: CrewSystem['shared']): Simulations {
    if (shared === null) return this.#simulations
    return (this.#ofShared ??= this.#simulationsOf(SHARED_SIZES))
  }

  /**
   * Compares a load with what the model predicts. Where arrivals contradict a shared server as it
   * was learned, the other reasons for slowness are tried, and the nearest that explains them
   * counts from then on.
   */
  confirmed(load: Woken<LoadFacts>, learned: Learned, system: CrewSystem): Confirmation {
    const { within, random, minuteMicros = MICROS_PER_MINUTE } = this.#terms
    const terms: ConfirmTerms = { within, random: random.fork('confirm') }
    const found = confirm(load, learned, system, terms)
    if (system.shared === null || agrees(found)) return found
    const explaining = othersOf(minuteMicros)
      .flatMap((slowness) => {
        const own = this.#systemOf(learned, system.slots, slowness)
        const confirmation = confirm(load, learned, own, terms)
        return agrees(confirmation) ? { slowness, confirmation } : []
      })
      .toSorted((a, b) => distanceOf(a.confirmation) - distanceOf(b.confirmation))
    const [best] = explaining
    if (best === undefined) return found
    this.#slowness = best.slowness
    return best.confirmation
  }

  /** Before the last estimate, smaller simulations are enough, because only the spread matters. */
  solved(learned: Learned, confirmation: Confirmation | null, isFine: boolean): Estimate | null {
    const { slots, full } = learned
    if (slots === null || full.micros.length === 0) return null
    const { criteria, random } = this.#terms
    const system = this.#systemOf(learned, slots, this.#slowness)
    const { rough, middle, fine } = this.simulationsFor(system.shared)
    const solution = solve({ rough, fine: isFine ? fine : middle }, system, criteria)
    const found = { solution, system, isFine }
    if (solution.kind !== 'rate') return { ...found, spreads: null, spread: Infinity }
    const { perHour, error } = solution
    const { hidden } = learned
    const spreads = {
      sampled: spreadOf(rough, system, criteria, perHour, random.fork('bootstrap')),
      counted: hidden === null ? 0 : spreadOfSlots(rough, system, criteria, perHour, hidden),
      simulated: error,
      described: system.shared === null ? Math.abs(confirmation?.offBy ?? 0) / Z98 : ABOUT,
      untried: this.#spreadOfQueue(learned, system, perHour),
    }
    return { ...found, spreads, spread: spreadOfAll(spreads) }
  }

  #spreadOfQueue({ loads }: Learned, system: CrewSystem, perHour: number): number {
    const inCrew = Math.max(...loads.map(({ seen }) => mostInCrew(seen)))
    const { slots, queueLimit } = system
    if (queueLimit !== null || isOverfilled(inCrew, slots)) return 0
    const { criteria } = this.#terms
    const { rough } = this.simulationsFor(system.shared)
    return spreadOfQueue(rough, system, criteria, perHour, Math.max(0, inCrew - slots))
  }

  #systemOf(learned: Learned, slots: number, slowness: Slowness): CrewSystem {
    const { full, queueLimit, neverShare, kickoffs, loads } = learned
    const { detectionOf, kickoffRetries = 0, random } = this.#terms
    const executions = loads.flatMap(({ seen }) => seen.executions)
    const polls = loads.filter(({ seen }) => seen.polls.all > 0)
    const took = polls.reduce((sum, { seen }) => sum + seen.polls.tookMicros, 0)
    // A cap keeps throughput level; it does not make it fall.
    const shares =
      slowness.kind === 'server' && cliffOf(learned) === null
        ? sharesOf(learned, random.fork('shared'), slowness.visiting)
        : null
    return {
      slots,
      queueLimit,
      retries: queueLimit === null ? null : retriesOf(executions, kickoffRetries),
      service: shares?.alone ?? full,
      shared: shares?.demand ?? null,
      neverShare,
      kickoffs,
      detection: detectionOf(polls.length === 0 ? 0 : took / polls.length),
    }
  }
}
