/** Models the crew that was learned, and estimates its capacity and how uncertain that is. */
import { sumBy } from '../../../../result/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../../base/units.ts'
import type { Confirmation, ConfirmTerms } from '../confirm/confirm.ts'
import { agrees, confirmLearned } from '../confirm/confirm.ts'
import { logLikelihood } from '../confirm/likelihood.ts'
import type { Woken } from '../waking.ts'
import { cliffOf } from '../learn/cliff.ts'
import type { Learned } from '../learn/learn.ts'
import { mostInLoad } from '../learn/recorded.ts'
import type { SharedBy } from '../learn/demand.ts'
import { mayHavePaused, ONE_PER_TASK, sharesOf } from '../learn/demand.ts'
import type { Criterion } from '../model/criteria.ts'
import type { Detection } from '../model/detection.ts'
import { drawsOf, CrewSimulation } from '../model/simulate.ts'
import {
  spreadOf,
  spreadOfAll,
  spreadOfQueue,
  spreadOfSlots,
  Z98,
  ranged,
  saturationOf,
} from '../model/interval.ts'
import type { Simulations, Solution } from '../model/solve.ts'
import { MIDDLE, ROUGH, solve, solveNear } from '../model/solve.ts'
import type { CrewSystem, Retries } from '../model/system.ts'
import { isOverfilled } from './loads.ts'
import type { Seen } from '../seen.ts'
import type { RateRange } from '../../document.ts'
import type { Spreads } from '../model/interval.ts'
import type { Recorded } from '../learn/recorded.ts'

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
 * Why executions are slower beside others: what they share; or they are slower by the number at
 * work, and share nothing that caps them.
 */
type Slowness = SharedBy | { kind: 'paced' }

/** What arrivals may show in place of the server that was learned. */
function othersOf(minuteMicros: Micros): Slowness[] {
  // As the clients of language models do: after 1 s, then twice as long, up to 30 s.
  const pauses = { firstMicros: minuteMicros / 60, mostMicros: minuteMicros / 2 }
  const asking = { ...ONE_PER_TASK, pauses }
  return [
    { ...ONE_PER_TASK, burst: 'as-shown' },
    { ...ONE_PER_TASK, perTask: 3 },
    { kind: 'window', perTask: 1, micros: minuteMicros },
    { kind: 'window', perTask: 3, micros: minuteMicros },
    asking,
    { ...asking, perTask: 2 },
    { kind: 'processor' },
    { kind: 'paced' },
  ]
}

/** By how much a log-likelihood must be larger to count for more than what was learned. */
function doubtOf(slowness: Slowness): number {
  if (slowness === ONE_PER_TASK) return 0
  return slowness.kind === 'paced' ? DOUBT.paced : DOUBT.other
}

const DOUBT = { other: 2, paced: 10 }

/** What a load shows of a slowness. */
interface Likely {
  slowness: Slowness
  /** How often as likely as the most likely one. */
  weight: number
}

/** The difference of two log-likelihoods counts by this part: a model is never quite right. */
const TEMPERED = 0.5
/** By this difference of log-likelihoods, a model is out of the question, though it may agree. */
const UNLIKELY = 30
/** What is less likely than this, beside the most likely, moves no estimate. */
const LEAST_WEIGHT = 0.02

/** How far one server is from what crews really share, as a standard deviation: by the bench. */
const ABOUT = 0.014

/** A model that may be right, beside the most likely one, whose weight is 1. */
export interface WeighedSystem {
  system: CrewSystem
  weight: number
}

/** The standard deviation of the logarithms of what they say over what the likeliest one says. */
export function spreadOfWeighed(others: readonly { ratio: number; weight: number }[]): number {
  const sum = sumBy(others, ({ ratio, weight }) => weight * Math.log(ratio) ** 2)
  return Math.sqrt(sum / others.reduce((total, { weight }) => total + weight, 1))
}

export class Estimator {
  readonly #terms: ModelTerms
  readonly #simulations: Simulations
  /** Smaller ones, since what is shared makes each execution several events; made when needed. */
  #ofShared: Simulations | null = null
  #slowness: Slowness = ONE_PER_TASK
  /** What the confirming loads leave possible; empty before. */
  #likely: readonly Likely[] = []
  /** The log-likelihood of all confirming loads so far, by slowness. */
  readonly #logs = new Map<string, number>()

  constructor(terms: ModelTerms) {
    this.#terms = terms
    this.#simulations = this.#simulationsOf({ fine: FINE, middle: MIDDLE, rough: ROUGH })
  }

  #simulationsOf(sizes: Record<keyof Simulations, number>): Simulations {
    const draws = this.#terms.random.fork('simulation')
    const most = this.#terms.simulated ?? FINE
    const sized = (name: keyof Simulations): CrewSimulation =>
      new CrewSimulation(drawsOf(Math.min(sizes[name], most), draws.fork(name)))
    return { fine: sized('fine'), middle: sized('middle'), rough: sized('rough') }
  }

  simulationsFor(shared: CrewSystem['shared']): Simulations {
    if (shared === null) return this.#simulations
    return (this.#ofShared ??= this.#simulationsOf(SHARED_SIZES))
  }

  /**
   * Compares a load with what the model predicts. Where executions share something, its arrivals
   * tell what that is: the most likely reason for slowness that agrees counts from then on.
   */
  confirmed(load: Woken, learned: Learned, system: CrewSystem): Confirmation {
    const { within, random, minuteMicros = MICROS_PER_MINUTE } = this.#terms
    const terms: ConfirmTerms = { within, random: random.fork('confirm') }
    if (system.shared === null) return confirmLearned(load, learned, system, terms)
    const tried = [ONE_PER_TASK, ...othersOf(minuteMicros)]
      .map((slowness) => {
        const own = this.#systemOf(learned, system.slots, slowness)
        const key = JSON.stringify(slowness)
        const before = this.#logs.get(key) ?? -doubtOf(slowness)
        const log = before + logLikelihood(load, learned, own, random.fork('likelihood'))
        this.#logs.set(key, log)
        return { slowness, own, log }
      })
      .filter(({ slowness }) => {
        const pauses = slowness.kind === 'steady' ? slowness.pauses : null
        return pauses === null || mayHavePaused(learned, pauses)
      })
      .toSorted((a, b) => b.log - a.log)
    const most = tried[0]!
    let refuted: Confirmation | null = null
    for (const { slowness, own, log } of tried.filter((each) => each.log > most.log - UNLIKELY)) {
      const found = confirmLearned(load, learned, own, terms)
      if (!agrees(found)) refuted ??= found
      if (!agrees(found) || !this.#hasRate(own)) continue
      this.#slowness = slowness
      // What was more likely, and disagreed in one figure, may still be right.
      this.#likely = tried
        .map(({ slowness: kind, own: other, log: its }) => {
          return { slowness: kind, other, weight: Math.min(1, Math.exp(TEMPERED * (its - log))) }
        })
        .filter(({ other, weight }) => weight >= LEAST_WEIGHT && this.#hasRate(other))
      return found
    }
    if (refuted !== null) return refuted
    // All that agree keep the promise at no rate.
    this.#slowness = most.slowness
    return confirmLearned(load, learned, most.own, terms)
  }

  /** Executions that are as slow at any load as in a full crew may keep no promise. */
  #hasRate(system: CrewSystem): boolean {
    const { rough } = this.simulationsFor(system.shared)
    return solve({ rough, fine: rough }, system, this.#terms.criteria).kind === 'rate'
  }

  /** Before the last estimate, smaller simulations are enough, because only the spread matters. */
  solved(learned: Learned, confirmation: Confirmation | null, isFine: boolean): Estimate | null {
    const { slots, full } = learned
    if (slots === null || full.micros.length === 0) return null
    const { criteria, random } = this.#terms
    const system = this.#systemOf(learned, slots, this.#slowness)
    const others = this.#othersThan(system, learned)
    const { rough, middle, fine } = this.simulationsFor(system.shared)
    const solution = solve({ rough, fine: isFine ? fine : middle }, system, criteria)
    const found = { solution, system, others, isFine }
    if (solution.kind !== 'rate') return { ...found, spreads: null, spread: Infinity }
    const { perHour, error } = solution
    const { hidden } = learned
    const spreads = {
      sampled: spreadOf(rough, system, criteria, perHour, random.fork('bootstrap')),
      counted: hidden === null ? 0 : spreadOfSlots(rough, system, criteria, perHour, hidden),
      simulated: error,
      described:
        system.shared === null
          ? Math.abs(confirmation?.offBy ?? 0) / Z98
          : Math.hypot(ABOUT, this.#spreadOfModels(system, others, perHour)),
      untried: this.#spreadOfQueue(learned, system, perHour),
    }
    return { ...found, spreads, spread: spreadOfAll(spreads) }
  }

  /** The other models that may be right, by their weight. */
  #othersThan({ slots, shared }: CrewSystem, learned: Learned): WeighedSystem[] {
    if (shared === null) return []
    return this.#likely
      .filter(({ slowness }) => slowness !== this.#slowness)
      .map(({ slowness, weight }) => ({
        system: this.#systemOf(learned, slots, slowness),
        weight,
      }))
  }

  /** How far the capacities of the other models are from this one's. */
  #spreadOfModels(system: CrewSystem, others: readonly WeighedSystem[], perHour: number): number {
    const { middle } = this.simulationsFor(system.shared)
    const solvedBy = (each: CrewSystem): number | undefined =>
      solveNear(middle, each, this.#terms.criteria, perHour)?.perHour
    const here = solvedBy(system) ?? perHour
    return spreadOfWeighed(
      others.flatMap(({ system: other, weight }) => {
        const perHour = solvedBy(other)
        return perHour === undefined ? [] : { ratio: perHour / here, weight }
      }),
    )
  }

  #spreadOfQueue({ loads }: Learned, system: CrewSystem, perHour: number): number {
    const inCrew = Math.max(...loads.map(({ seen }) => mostInLoad(seen)))
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
    const took = sumBy(polls, ({ seen }) => seen.polls.tookMicros)
    // A cap keeps throughput level; it does not make it fall.
    const shares =
      slowness.kind !== 'paced' && cliffOf(learned) === null
        ? sharesOf(learned, random.fork('shared'), slowness)
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

/** Null if nobody retries, or no retry was observed. `most`: the most attempts after the first. */
export function retriesOf(executions: readonly Seen[], most: number): Retries | null {
  const gaps: number[][] = []
  for (const { refusals, accepted } of executions) {
    const times = refusals.map(({ at }) => at).toSorted((a, b) => a - b)
    if (accepted !== null) times.push(accepted)
    times.slice(1).forEach((at, i) => {
      gaps[i] ??= []
      gaps[i].push(at - times[i]!)
    })
  }
  const known = gaps.slice(0, most).map((each) => Float64Array.from(each).sort())
  return known.length === 0 ? null : { most, gaps: known }
}

/** An estimate of the capacity, and of its uncertainty. */
export interface Estimate {
  solution: Solution
  /** Null if there is no rate. */
  spreads: Spreads | null
  /** The spread of all causes together; Infinity if none is known. */
  spread: number
  system: CrewSystem
  /** The other models that a confirming load leaves possible; empty where nothing is shared. */
  others: readonly WeighedSystem[]
  /** Whether the largest simulation was used. */
  isFine: boolean
}

/**
 * Returns the rates of an estimate, with their intervals of 98 %. Without a limit of the queue, the
 * capacity is never above the saturation rate; with one, it is at most twice that, or the estimate
 * if that is higher.
 */
export function rangesOf({ solution, spreads, spread, system }: Estimate): {
  capacity: RateRange | null
  saturation: RateRange
} {
  const saturation = saturationOf(system, spreads?.counted ?? 0)
  if (solution.kind !== 'rate') return { capacity: null, saturation }
  const { perHour, low, high } = ranged(solution.perHour, spread)
  const isEndless = system.queueLimit === null && spreads?.untried === 0
  const most = Math.max(perHour, (isEndless ? 1 : MOST_OVER_SATURATION) * saturation.high)
  return { capacity: { perHour, low, high: Math.min(high, most) }, saturation }
}

/**
 * The largest capacity of a crew with a limited queue, as a multiple of the saturation rate. The
 * queue refuses the excess, and no median over all that was due holds if more than half is refused.
 */
const MOST_OVER_SATURATION = 2

export interface Replayed {
  recorded: Recorded
  confirmation: Confirmation
}

/** Runs with fewer executions, or fewer that waited for a worker, show nothing about a queue. */
const FEWEST = { executions: 50, waited: 20 }

/**
 * Confirms by a run of open arrivals: one that disagrees, or else the one in which most executions
 * waited. Null if no run is suitable: the crew must have held as many executions at once as it
 * would on average at the capacity; otherwise the simulation would be trusted beyond what was
 * observed.
 */
export function confirmByRuns(
  recorded: readonly Recorded[],
  learned: Learned,
  { solution, system }: Estimate,
  { within, random }: ConfirmTerms,
): Replayed | null {
  const inFlight = solution.kind === 'rate' ? solution.inFlight : Infinity
  const telling = recorded
    .map((each, i) => ({ recorded: each, facts: learned.loads[i]!, random: random.fork('run', i) }))
    .filter(({ recorded: { isOpen }, facts }) => {
      const isEnough =
        facts.seen.executions.length >= FEWEST.executions && facts.waited >= FEWEST.waited
      return isOpen && isEnough && mostInLoad(facts.seen) >= inFlight
    })
    .toSorted((a, b) => b.facts.waited - a.facts.waited)
  const replayed = telling.map(({ recorded: each, facts, random: own }) => ({
    recorded: each,
    confirmation: confirmLearned({ facts, present: 0 }, learned, system, { within, random: own }),
  }))
  return replayed.find(({ confirmation }) => !agrees(confirmation)) ?? replayed[0] ?? null
}
