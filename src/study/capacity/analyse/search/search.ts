/**
 * Decides which load comes next, from what is known so far: fill the crew, sample the full crew
 * until the capacity is known with the precision asked for, then confirm that rate.
 */
import { factsOf, servicesOf } from '../seen.ts'
import { plural } from '../../../../base/numbers.ts'
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../../base/units.ts'
import type { Confirmation } from '../confirm/confirm.ts'
import { agrees } from '../confirm/confirm.ts'
import type { Learned } from '../learn/learn.ts'
import { isSurelyLimited, kickoffRefusals } from '../learn/besides-queue.ts'
import { cliffOf } from '../learn/cliff.ts'
import { withInferredStarts } from '../learn/hidden-starts.ts'
import { busyInMean, learnLoads } from '../learn/learn.ts'
import type { Recorded } from '../learn/recorded.ts'
import type { Requests } from '../learn/requests.ts'
import { grownRequestsOf } from '../learn/requests.ts'
import { aloneClients, bestPerHour, isDecided, slowdownOf } from '../learn/slowdown.ts'
import { mostInLoad } from '../learn/recorded.ts'
import type { AppliedLoad, LoadSeen, LoadFacts } from '../seen.ts'
import { spreadOfAll, Z98 } from '../model/interval.ts'
import type { Criterion } from '../model/criteria.ts'
import type { Simulations } from '../model/solve.ts'
import { solve } from '../model/solve.ts'
import { MICROS_PER_HOUR, formatPerHour } from '../model/system.ts'
import type { Waking } from '../waking.ts'
import { followingLoad, onceWoken, unshownGrowth, wakenLoad, wakingOf } from '../waking.ts'
import type { Estimate, ModelTerms } from './estimator.ts'
import { rangesOf, Estimator, confirmByRuns } from './estimator.ts'
import { AMPLE, freeRung, isOverfilled, nextHold, nextRung, overfilling } from './loads.ts'
import type { RateProbe } from '../../document.ts'
import { ALONE, isNearlyAlone, nextProbe, probeOf } from './probes.ts'

export interface SearchTerms extends ModelTerms {
  /** The most kickoffs over the whole search. */
  budget: number
  /** The most clients that are tried at once. */
  mostClients: number
}

/**
 * The purposes of loads, and whether the capacity is estimated again after one. `recorded` ones are
 * past runs, which cost nothing; `cut` ones were stopped before their end.
 */
const LOOKS = {
  recorded: true,
  ladder: false,
  overfill: false,
  free: true,
  hold: true,
  confirm: true,
  probe: false,
  cut: true,
}

export type StepPurpose = keyof typeof LOOKS

export interface SearchStep {
  /** The key, unique in the search. */
  key: string
  purpose: StepPurpose
  load: AppliedLoad
}

/**
 * If the bad share of a half-empty crew is at least this part of that of the full crew, load does
 * not cause it.
 */
const ALIKE = 0.75
/** The fewest service times for a first estimate when the search ended early. */
export const FEWEST_SERVICES = 20
/** An estimate of the spread may be too small, so the sample is made larger by this factor. */
const MARGIN = 1.15

export class CapacitySearch {
  readonly #terms: SearchTerms
  readonly #steps: { step: SearchStep; seen: LoadSeen }[] = []
  readonly #estimator: Estimator
  #spent = 0
  learned: Learned = learnLoads([])
  /** Null while the crew was never full. */
  estimate: Estimate | null = null
  confirmation: Confirmation | null = null
  recorded: readonly Recorded[] = []
  /**
   * The past run whose arrivals confirmed or refuted the model; null if a load of this search did.
   */
  replayed: Recorded | null = null

  constructor(terms: SearchTerms) {
    this.#terms = terms
    this.#estimator = new Estimator(terms)
  }

  get criteria(): readonly Criterion[] {
    return this.#terms.criteria
  }

  /** Quotas of language models count by the minute. */
  get minuteMicros(): Micros {
    return this.#terms.minuteMicros ?? MICROS_PER_MINUTE
  }

  get simulations(): Simulations {
    return this.#estimator.simulationsFor(this.estimate?.system.shared ?? null)
  }

  /** A stream of the search for a purpose. */
  randomOf(purpose: string): Random {
    return this.#terms.random.fork(purpose)
  }

  /** Set if requests wait for each other in front of the crew; otherwise null. */
  get grownRequests(): Requests | null {
    const { criteria, detectionOf } = this.#terms
    const boundMicros = Math.min(...criteria.map((each) => each.boundMicros ?? Infinity))
    if (boundMicros === Infinity) return null
    return grownRequestsOf(this.learned, { detectionOf, boundMicros })
  }

  /** Adds past runs of the crew: what they show needs no load. Call it before the first load. */
  recall(recorded: readonly Recorded[]): void {
    this.recorded = recorded
    for (const { run: key, seen } of recorded) {
      this.saw({ key, purpose: 'recorded', load: seen.load }, seen)
    }
  }

  /**
   * Adds what a load showed before it was stopped, if its starts and ends are known in the same way
   * as those of the other loads: the ledger of a fake crew that has ended is lost. Returns whether
   * it was added. `sent`: all of its kickoffs.
   */
  sawCut(step: SearchStep, seen: LoadSeen, sent: number): boolean {
    this.#spent += sent
    const { length } = seen.executions
    if (length === 0 || seen.truth !== this.#steps.at(-1)?.seen.truth) return false
    this.#spent -= length
    this.saw(step, seen)
    return true
  }

  /** Replays the arrivals of past runs in the simulation, in place of a confirming load. */
  confirmByRuns(): void {
    const { within, random } = this.#terms
    const terms = { within, random: random.fork('replayed') }
    this.conclude()
    if (this.estimate === null) return
    const found = confirmByRuns(this.recorded, this.learned, this.estimate, terms)
    if (found === null) return
    this.replayed = found.recorded
    this.confirmation = found.confirmation
    this.estimate = this.#solved(true)
  }

  /**
   * Whether a promise is broken even while executions meet few others, and not only in a full crew;
   * null if there are too few executions to tell.
   */
  get failsAlone(): boolean | null {
    const { idle } = this.learned
    const { criteria } = this.#terms
    const tried = this.probes
    if (tried.some(({ judgement }) => judgement !== 'broken')) return false
    if (tried.some(isNearlyAlone)) return true
    const ofFull = this.estimate?.solution
    if (ofFull?.kind !== 'fails-alone' || idle.micros.length < FEWEST_SERVICES) return null
    const system = { ...this.estimate!.system, service: idle }
    const ofIdle = solve(this.simulations, system, criteria)
    if (ofIdle.kind !== 'fails-alone') return false
    // A crew with half of its workers busy is not empty, so the result stands only if the load
    // makes no difference.
    return ofIdle.isSure && ofIdle.badShare >= ALIKE * ofFull.badShare ? true : null
  }

  /** The rates that were tried because the model does not describe the crew. */
  get probes(): RateProbe[] {
    return this.probesOf('probe')
  }

  /** What the open loads of a purpose showed of the promises. */
  probesOf(purpose: StepPurpose): RateProbe[] {
    const { slots } = this.learned
    return this.loads.flatMap(({ step, facts }) =>
      step.purpose === purpose ? (probeOf(facts, this.criteria, slots) ?? []) : [],
    )
  }

  get loads(): readonly { step: SearchStep; facts: LoadFacts }[] {
    return this.#steps.map(({ step }, i) => ({ step, facts: this.learned.loads[i]! }))
  }

  saw(step: SearchStep, seen: LoadSeen): void {
    if (step.purpose !== 'recorded') this.#spent += seen.executions.length
    const before = this.learned
    if (step.purpose === 'confirm' && this.estimate !== null) {
      const facts = factsOf(
        before.hidden === null ? seen : withInferredStarts(seen, before.slotsSeen),
      )
      const woken = onceWoken(facts)
      this.confirmation = this.#estimator.confirmed(woken, before, this.estimate.system)
    }
    this.#steps.push({ step, seen })
    this.learned = learnLoads(this.#steps.map((each) => each.seen))
    if (this.learned.slots === null || !LOOKS[step.purpose]) return
    if (step.purpose === 'free' && this.learned.hidden !== null) return
    if (step.purpose === 'recorded' && this.learned.full.micros.length < FIRST_SERVICES) return
    this.estimate = this.#solved(step.purpose === 'confirm')
  }

  /**
   * Solves with the largest simulation if the search ended before its last load. It makes the first
   * estimate if the search ended before the crew was sampled as planned.
   */
  conclude(): void {
    const isFirst = this.estimate === null
    const fewest = this.#spent === 0 ? FIRST_SERVICES : FEWEST_SERVICES
    if (isFirst && (this.learned.full.micros.length < fewest || this.#isRefused)) return
    if (isFirst || this.estimate?.isFine === false) this.estimate = this.#solved(true)
  }

  /** Null if nothing more can be learned, or the budget does not allow it. */
  next(): SearchStep | null {
    if (isSurelyLimited(this.learned) || this.learned.unsteady !== null) return null
    const left = this.#terms.budget - this.#spent
    if (this.confirmation !== null) return this.#confirmingAgain(left) ?? this.#probing(left)
    const { slots, hidden } = this.learned
    const { budget, mostClients } = this.#terms
    if (slots === null) {
      const isHidden = this.#steps.some(({ seen }) => seen.truth === 'polls')
      const isAmple = isHidden || budget >= AMPLE
      const rung = nextRung(this.#rungs, left, { mostClients, isAmple })
      return rung === null ? this.#probing(left) : this.#step('ladder', rung)
    }
    const { scaling } = this.learned
    const reserve = confirmationOf(budget) + (this.#waking?.executions ?? 0)
    const following = this.#following(left - reserve)
    if (following !== null) return this.#step('hold', following)
    // A crew that still grows has no number of workers to answer for.
    if (scaling?.stands === false) return null
    const isOverfilledBefore = this.recorded.some(({ seen }) =>
      isOverfilled(mostInLoad(seen), slots),
    )
    const over =
      this.#has('overfill') || isOverfilledBefore
        ? null
        : overfilling(slots, left - reserve, this.#terms)
    if (over !== null) return this.#step('overfill', over)
    const free = hidden === null || this.#has('free') ? null : freeRung(slots, left, budget)
    if (free !== null) return this.#step('free', free)
    const solution = this.estimate?.solution
    const alone = this.#alone(left - reserve)
    if (solution?.kind === 'fails-alone' && solution.isSure) {
      // Where throughput falls in the full crew, nothing that is shared explains its times.
      const isKnown = alone === null || this.#has('free') || cliffOf(this.learned) !== null
      return isKnown ? this.#probing(left) : this.#step('free', alone)
    }
    if (this.learned.full.micros.length >= FIRST_SERVICES) this.estimate ??= this.#solved(false)
    const ofAlone = alone?.executions ?? 0
    const growing = this.#waking?.executions ?? 0
    const hold = nextHold(this.learned, this.#wanted(), left - reserve - ofAlone, growing)
    if (hold !== null) return this.#step('hold', hold)
    if (alone !== null) return this.#step('free', alone)
    const confirming = this.#confirming(Math.min(left, reserve) - growing)
    const found = this.estimate?.solution
    if (confirming !== null || found?.kind !== 'fails-alone' || found.isSure) return confirming
    // There may be a rate to confirm: the kickoffs reserved for that are used to find out.
    const last = nextHold(this.learned, this.#wanted(), left, growing)
    return last === null ? null : this.#step('hold', last)
  }

  /** The next rate to try on a crew that no simulation describes. */
  #probing(left: number): SearchStep | null {
    if (kickoffRefusals(this.learned).isLimited || !this.#isRefused) return null
    const saturated = this.estimate === null ? 0 : rangesOf(this.estimate).saturation.high
    const most = Math.max(saturated, cliffOf(this.learned)?.before.high ?? 0)
    const first = this.confirmation === null ? ALONE : null
    const load = nextProbe(this.probes, most, { left, budget: this.#terms.budget, first })
    return load === null ? null : this.#step('probe', wakenLoad(load, this.#waking))
  }

  /** What makes workers that scale grow to their full number; null if they do not scale. */
  get #waking(): Waking | null {
    const { scaling } = this.learned
    return scaling === null ? null : wakingOf(scaling, this.#serviceMicros)
  }

  /** The mean time of an execution with a worker, over all loads. */
  get #serviceMicros(): number {
    const ran = this.learned.loads.flatMap((load) => load.ran)
    return meanOf(servicesOf(ran))
  }

  /** A load that is held until the number of workers stands; null if it stands or never grew. */
  #following(left: number): AppliedLoad | null {
    const { mostClients } = this.#terms
    const holds = this.loads.filter(({ step }) => step.purpose === 'hold')
    const followed = holds.flatMap(({ step: { load } }) =>
      load.kind === 'closed' ? load.clients : [],
    )
    const last = holds.at(-1)?.facts
    const scaling = this.learned.scaling ?? (last && unshownGrowth(last, this.learned))
    if (scaling == null) return null
    const atWork = last === undefined ? 0 : Math.round(busyInMean(last))
    return followingLoad(scaling, this.#serviceMicros, { left, mostClients, followed, atWork })
  }

  get #isRefused(): boolean {
    if (this.confirmation !== null) {
      return !agrees(this.confirmation) || this.grownRequests !== null
    }
    // If an execution alone surely breaks a promise, there is no rate to search for.
    if (this.estimate?.solution.kind === 'fails-alone') return this.failsAlone !== true
    return cliffOf(this.learned) !== null
  }

  #has(purpose: StepPurpose): boolean {
    return this.#steps.some(({ step }) => step.purpose === purpose)
  }

  /**
   * The rungs that count as done. A number of executions that ran at once in a past run without
   * waiting need not be tried again.
   */
  get #rungs(): number[] {
    const ran = this.#steps.flatMap(({ step, seen }, i) =>
      step.purpose === 'recorded' && seen.truth !== 'polls' ? this.learned.loads[i]!.busy.most : [],
    )
    const clients = this.#steps.flatMap(({ step }) =>
      step.purpose !== 'recorded' && step.load.kind === 'closed' ? step.load.clients : [],
    )
    return [...ran, ...clients]
  }

  #step(purpose: StepPurpose, load: AppliedLoad): SearchStep {
    const same = this.#steps.filter(({ step }) => step.purpose === purpose).length
    const put =
      load.kind === 'closed'
        ? plural(load.clients, 'client')
        : `${formatPerHour(load.perHour)} per hour`
    return { key: `${purpose} ${same + 1}: ${put}, ${load.executions}`, purpose, load }
  }

  /**
   * The number of service times of the full crew that would make the interval as narrow as was
   * asked for.
   */
  #wanted(): number {
    const known = this.learned.full.micros.length
    const toSeeQuota = this.#servicesForQuota()
    if (this.estimate === null || known < FEWEST_SERVICES) {
      return Math.max(FIRST_SERVICES, toSeeQuota)
    }
    const width = Z98 * this.#expectedSpread(this.estimate)
    if (width <= CONTENT * this.#terms.within) return toSeeQuota
    const { shared } = this.estimate.system
    // With something shared, more of the full crew narrows the interval only in part, or not.
    const ofFull = shared === null ? Infinity : Z98 * Math.abs(shared.byFull) * shared.fullError
    if (ofFull < HARDLY * width) return toSeeQuota
    const least = shared === null ? 1 : LEAST_TIMES
    const times = Math.max(least, MARGIN * (width / this.#terms.within) ** 2)
    return Math.max(toSeeQuota, Math.ceil(known * Math.min(MOST_TIMES, times)))
  }

  /**
   * The executions of a full crew after which a quota of calls a minute would show that allows 90 %
   * of them, and a burst of a minute.
   */
  #servicesForQuota(): number {
    const { budget } = this.#terms
    const within =
      (bestPerHour(this.learned) * QUOTA_SHOWS_MINUTES * this.minuteMicros) / MICROS_PER_HOUR
    return Math.min(QUOTA_SHARE * budget, within)
  }

  /**
   * The spread to expect of the last estimate: it uses a larger simulation, with a smaller error.
   * The part of an unknown queue limit is left out, because more executions of the same number of
   * clients do not reduce it.
   */
  #expectedSpread({ spreads, spread, isFine }: Estimate): number {
    if (spreads === null || isFine) return spread
    const { middle, fine } = this.simulations
    const simulated = spreads.simulated * Math.sqrt(middle.size / fine.size)
    return spreadOfAll({ ...spreads, simulated, untried: 0 })
  }

  /**
   * A load that shows how long executions take nearly alone, once a full crew has shown how long
   * they take there; null where that is known, or the budget does not allow it.
   */
  #alone(left: number): AppliedLoad | null {
    const { budget, within } = this.#terms
    if (this.learned.hidden !== null) return null
    const { micros } = this.learned.full
    if (micros.length < FIRST_SERVICES) return null
    const known = slowdownOf(this.learned)
    const cv = deviationOf(micros) / meanOf(micros)
    const wanted = (cv / Math.max(ALONE_WITHIN, within / 2)) ** 2
    const width = this.estimate?.system.shared == null ? 0 : Z98 * this.estimate.spread
    const isUndecided = known !== null && !isDecided(known)
    const isFirst = !this.#has('free')
    // The first of these loads often decides: more are left to what narrows the interval.
    const more = isUndecided && !isFirst ? UNDECIDED_TIMES : width > within ? 2 : 1
    const most = more * ALONE_SHARE * budget
    const open = Math.min(most, more * wanted) - (known?.alone.micros.length ?? 0)
    const missing = isUndecided && isFirst ? Math.max(FEWEST_ALONE, open) : open
    if (known === null ? this.#has('free') : missing < FEWEST_ALONE) return null
    const executions = Math.min(left, Math.ceil(Math.max(FEWEST_ALONE, missing)))
    if (executions < FEWEST_ALONE) return null
    const clients = Math.min(executions, aloneClients(this.learned))
    return { kind: 'closed', clients, executions }
  }

  #confirming(executions: number): SearchStep | null {
    if (executions < FEWEST_CONFIRMING) return null
    this.estimate ??= this.#solved(false)
    const solution = this.estimate?.solution
    if (solution?.kind !== 'rate') return null
    const load = { kind: 'open', perHour: solution.perHour, executions } as const
    return this.#step('confirm', wakenLoad(load, this.#waking))
  }

  /**
   * The first confirmation shows what executions share. Where that moves the estimate, or leaves
   * several answers, there is another one at the rate that will be answered. Null otherwise.
   */
  #confirmingAgain(left: number): SearchStep | null {
    const { budget, within } = this.#terms
    const tried = this.loads.filter(({ step }) => step.purpose === 'confirm')
    const last = tried.at(-1)?.step.load
    const found = this.estimate?.solution
    if (this.#isRefused || last?.kind !== 'open' || found?.kind !== 'rate') return null
    const moved = Math.abs(Math.log(found.perHour / last.perHour))
    const isSettled = Math.max(moved, Z98 * (this.estimate?.spreads?.described ?? 0)) <= within
    if (isSettled || tried.length >= MOST_CONFIRMING) return null
    return this.#confirming(Math.min(left, confirmationOf(budget)))
  }

  #solved(isFine: boolean): Estimate | null {
    return this.#estimator.solved(this.learned, this.confirmation, isFine)
  }
}

/**
 * The number of service times for the first estimate, enough to determine how many more are needed.
 */
export const FIRST_SERVICES = 100
/**
 * The estimated width varies by chance, so the search aims at this share of the width asked for.
 */
const CONTENT = 0.92
/** The minute of burst lasts for nine, since one of ten calls is not refilled. */
const QUOTA_SHOWS_MINUTES = 9
/** The largest share of the budget that is spent on seeing a quota. */
const QUOTA_SHARE = 0.2
/**
 * The largest factor by which one estimate may enlarge the sample, because the first estimates are
 * imprecise.
 */
const MOST_TIMES = 8
const LEAST_TIMES = 1.4
/** A part of the width of an interval without which it would be hardly narrower: by 3 %. */
const HARDLY = 0.25
const FEWEST_CONFIRMING = 50
/** The most confirming loads: a third one would hardly move what two leave. */
const MOST_CONFIRMING = 2
/**
 * The standard error to which the mean time of an execution that is nearly alone is measured; more
 * where a wide interval is asked for.
 */
const ALONE_WITHIN = 0.05
/** The largest share of the budget for that, at first, and the fewest executions. */
const ALONE_SHARE = 0.1
const FEWEST_ALONE = 12
/** How many times as many where they do not tell yet what limits the crew. */
const UNDECIDED_TIMES = 4

/** The number of kickoffs that the confirmation takes from the budget. */
export function confirmationOf(budget: number): number {
  return Math.round(Math.min(1_000, Math.max(FEWEST_CONFIRMING, 0.2 * budget)))
}
