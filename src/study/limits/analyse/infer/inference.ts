/** The loop of the inference: what is known so far goes in, the next experiment comes out. */
import type { Random } from '../../../../base/random.ts'
import type { LimiterKind } from '../../../frame/limiter-kinds.ts'
import type { Weighed } from './belief.ts'
import { Belief } from './belief.ts'
import type { Grouped } from './evidence/group.ts'
import { groupsOf, recordedGroups } from './evidence/groups.ts'
import { doesServiceVary } from './evidence/timing.ts'
import { doubtOf, latenessOf, loosenessOf, misfitOf, reasonsFor, surpriseOf } from './doubts.ts'
import type { KindShare } from './finding.ts'
import { explanationsOf, findingOf, forgottenAfterMs, kindShares, UNKNOWN } from './finding.ts'
import { headersOf } from './headers/check.ts'
import {
  burstPlan,
  contradictionIn,
  followedIn,
  MOST_FOLLOWING,
  promisedPlan,
} from './headers/follow.ts'
import { furtherIn } from './headers/further.ts'
import { othersIn } from './headers/others.ts'
import type { Told } from './headers/promise.ts'
import type {
  Conclusion,
  Evidence,
  Experiment,
  Finding,
  Inference,
  InferenceOptions,
} from './interface.ts'
import type { Choice, Wish } from './plan/choose.ts'
import { choosePlan } from './plan/choose.ts'
import { competePlan, restedPlan } from './plan/alone.ts'
import { costOf } from './plan/grammar.ts'
import { rampPlan, watchPlan } from './plan/ramp.ts'
import type { Plan } from './plan/simulate.ts'
import { sustainPlan } from './plan/sustain.ts'
import { isPrecise } from './precision.ts'
import { secondLimit } from './several.ts'
import { readmissionsIn } from './search/clues.ts'

/** A kind is named without reserve from here on. */
const SURE = 0.99
/**
 * Experiments that follow the last change of the best kind before it is named, and before the
 * window of a penalty is: a window of another length often explains the few blocks as well.
 */
const CONFIRMING = 1
/**
 * The phase of a counter and the length of a block can be fitted to what another client uses, and
 * so can a log that counts refused requests: each of its own refusals makes it wait longer. Where
 * late arrivals have to be excused, they may be what speaks for a log and against a window. Where
 * service varies, a limit of how many are in flight lets in more at a time of its own each time.
 * A client that asks as soon as it can takes a sliding counter of one request for a window of twice
 * the length.
 */
const FLEXIBLE: ReadonlySet<LimiterKind> = new Set(['sliding-counter', 'penalty'])
const SURE_FLEXIBLE = 0.99999
const CONFIRMING_FLEXIBLE = 3

/** Experiments that are chosen, at most. */
const MOST_CHOSEN = 40
/** Fewer requests than this are none. */
const FEW = 5
/** Rounds of search for what explains recorded requests. */
const ROUNDS = 4
/** What an explanation is given at most that is not named. */
const DOUBTED = 0.9

export function createInference(options: InferenceOptions, random: Random): Inference {
  return new Inquiry(options, random)
}

class Inquiry implements Inference {
  readonly #options: Required<InferenceOptions>
  readonly #random: Random
  /** For traces. */
  belief: Belief
  #isDistrusting = false
  #kind: LimiterKind | null = null
  #confirmed = 0
  /** Rounds in a row after which the parameters have been known well enough. */
  #precise = 0
  #isTelling = false
  /** The checks that nobody else uses the limit, by number: each is made once. */
  readonly #checked = new Set<number>()
  #sustained: Sustained | null = null
  #chosen = 0

  constructor(options: InferenceOptions, random: Random) {
    this.#options = {
      maxRequests: 600,
      mostAtOnce: 160,
      maxPauseMs: 900_000,
      sustainMs: 0,
      sustainKeeps: 20,
      readHeaders: true,
      ...options,
    }
    this.#random = random
    this.belief = new Belief(random.fork('belief'))
  }

  next(evidence: Evidence, nowMs: number): Experiment | Conclusion {
    if (this.#sustained !== null) return this.#afterSustained(this.#sustained, evidence, nowMs)
    const step = this.#next(evidence, nowMs)
    return step.kind === 'conclusion' ? this.#sustain(step, evidence, nowMs) : step
  }

  /** Whether the safe rate is safe is tried, where another limit may lie beyond the one found. */
  #sustain(found: Conclusion, evidence: Evidence, nowMs: number): Experiment | Conclusion {
    const { safePerSecond, kind } = found.finding
    const known = explanationsOf(this.belief, kind === 'leaky-bucket' ? 'token-bucket' : kind)[0]
    if (found.outcome !== 'settled' || safePerSecond === null || known === undefined) return found
    // Headers that are believed have told what applies, within fewer requests.
    if (this.belief.grouped.promise !== null) return found
    this.#sustained = { found, known, from: evidence.length, cycles: 0 }
    return (
      this.#sustainAgain(
        this.#sustained,
        nowMs + forgottenAfterMs(found.finding),
        nowMs,
        evidence,
      ) ?? found
    )
  }

  #sustainAgain(
    sustained: Sustained,
    startMs: number,
    nowMs: number,
    evidence: Evidence,
  ): Experiment | null {
    const plan = sustainPlan(sustained.found.finding.safePerSecond!, startMs, {
      mostMs: this.#options.sustainMs,
      requestsLeft: this.#options.maxRequests - this.#options.sustainKeeps - evidence.length,
    })
    if (plan === null) return null
    sustained.cycles++
    return experiment(plan, nowMs, 'Check that the safe rate meets no second limit.')
  }

  #afterSustained(
    sustained: Sustained,
    evidence: Evidence,
    nowMs: number,
  ): Experiment | Conclusion {
    const { found, known, from, cycles } = sustained
    const since = { ...found, requests: evidence.length }
    const isRefused = evidence.slice(from).some(({ answer }) => answer === 'refused')
    if (!isRefused) return since
    const grouped = groupsOf(evidence)
    // What was sent before the refusal was heard of may have come after it.
    const isBack = grouped.groups.at(-1)!.refused === 0
    if (!isBack && evidence.length < this.#options.maxRequests) {
      const plan = watchPlan(grouped, nowMs)
      const isShort = plan.startMs - nowMs <= this.#options.maxPauseMs
      if (isShort) return experiment(plan, nowMs, 'Find when requests are let in again.')
    }
    const again = isBack && cycles < CYCLES
    const step = again ? this.#sustainAgain(sustained, nowMs, nowMs, evidence) : null
    return step ?? this.#second(since, known, grouped)
  }

  #second(since: Conclusion, known: Weighed, grouped: Grouped): Conclusion {
    const second = secondLimit(known, grouped, this.#random.fork('second'))
    if (second === 'none') return since
    if (second === null) return { ...since, outcome: 'cannot-tell', reasons: [UNEXPLAINED] }
    return { ...since, also: [{ finding: second, basis: 'measured' }] }
  }

  #next(evidence: Evidence, nowMs: number): Experiment | Conclusion {
    const left = this.#options.maxRequests - evidence.length
    const failed = evidence.filter(({ answer }) => answer === 'failed').length
    if (failed > 5 && failed > evidence.length * 0.1)
      return this.#conclude(evidence, 'target-fails')
    const followed = this.#followed(evidence)
    const step = followed === null ? null : this.#follow(followed, evidence, nowMs, left)
    if (step !== null) return step
    if (evidence.every(({ answer }) => answer !== 'refused')) {
      const plan = rampPlan(evidence, nowMs, this.#options.mostAtOnce)
      if (plan === null || costOf(plan.steps) > left) return this.#conclude(evidence, 'settled')
      return experiment(plan, nowMs, 'Find how many requests at once are too many.')
    }
    const grouped = groupsOf(evidence)
    if (readmissionsIn(grouped.groups).length === 0) {
      const plan = watchPlan(grouped, nowMs)
      if (plan.startMs - nowMs > this.#options.maxPauseMs || left < 1) {
        return this.#conclude(evidence, 'blocked')
      }
      return experiment(plan, nowMs, 'Find when requests are let in again.')
    }
    this.belief.update(grouped)
    this.#followKind()
    return this.#decide(evidence, nowMs, left)
  }

  /** Null once headers have been found to be wrong: nothing that they tell is believed then. */
  #followed(evidence: Evidence): Told | null {
    if (!this.#options.readHeaders || this.#isDistrusting) return null
    if (contradictionIn(evidence) !== null) this.#distrust()
    return this.#isDistrusting ? null : followedIn(evidence)
  }

  #distrust(): void {
    this.#isDistrusting = true
    this.#kind = null
    this.#confirmed = 0
    this.#chosen = 0
    this.#checked.clear()
    this.belief = new Belief(this.#random.fork('belief without headers'))
  }

  /** Null where headers have just been found to be wrong. */
  #follow(
    followed: Told,
    evidence: Evidence,
    nowMs: number,
    requestsLeft: number,
  ): Experiment | Conclusion | null {
    const grouped = groupsOf(evidence, followed.key)
    const left = Math.max(0, Math.min(requestsLeft, MOST_FOLLOWING - evidence.length))
    const burst = burstPlan(grouped, followed, nowMs, left)
    if (burst !== null && costOf(burst.steps) <= left) {
      return experiment(burst, nowMs, 'Check whether the limit is the one that headers promise.')
    }
    const isRefused = grouped.groups.some(({ refused }) => refused > 0)
    const isBack = grouped.settled < Infinity
    if (isRefused && !isBack && left > 0) {
      const plan =
        promisedPlan(evidence, grouped, followed, { nowMs, most: left }) ??
        watchPlan(grouped, nowMs)
      if (plan.startMs - nowMs > this.#options.maxPauseMs)
        return this.#conclude(evidence, 'blocked')
      return experiment(plan, nowMs, 'Check whether requests are let in again as promised.')
    }
    this.belief.update(grouped)
    if (misfitOf(this.belief) !== null && left < FEW) {
      this.#distrust()
      return null
    }
    this.#followKind()
    const step = this.#decide(evidence, nowMs, left)
    if (step.kind === 'conclusion' && step.headers!.lies.length > 0) {
      // It was concluded from these very headers: without them, it is seen who is right.
      this.#distrust()
      return null
    }
    if (step.kind === 'experiment' || readmissionsIn(grouped.groups).length > 0) return step
    // What is left has only been seen to fall: that it comes back as told is yet to be seen.
    const plan = promisedPlan(evidence, grouped, followed, { nowMs, most: left })
    if (plan === null || left < 1 || plan.startMs - nowMs > this.#options.maxPauseMs) return step
    return experiment(plan, nowMs, 'Check whether more is left again as promised.')
  }

  conclude(evidence: Evidence): Conclusion {
    return this.#conclude(evidence, 'budget-spent')
  }

  #followKind(): void {
    const [first] = kindShares(this.belief)
    if (first === undefined || first.kind !== this.#kind) {
      this.#kind = first?.kind ?? null
      this.#confirmed = 0
    } else if (this.#isTelling) this.#confirmed++
  }

  #decide(evidence: Evidence, nowMs: number, left: number): Experiment | Conclusion {
    const precise = this.#isPrecise(kindShares(this.belief)[0]!.kind)
    const first = kindShares(this.belief)[0]!
    if (first.kind !== this.#kind) this.#followKind()
    const isLikely = this.#isSure(first) && this.belief.isNoChance
    const confirming = this.#isFlexible(first.kind) ? CONFIRMING_FLEXIBLE : CONFIRMING
    const sure = isLikely && this.#confirmed >= confirming
    const unsettled = left < FEW ? 'budget-spent' : 'cannot-tell'
    const outcome = isLikely ? 'settled' : unsettled
    this.#precise = precise ? this.#precise + 1 : 0
    const isConfirmed = this.#precise > (first.kind === 'penalty' ? CONFIRMING : 0)
    const isDone = sure && isConfirmed && loosenessOf(findingOf(this.belief)) === null
    const check = isDone ? this.#checkAlone(nowMs, left) : null
    if (check !== null) return check
    if (isDone || this.#chosen >= MOST_CHOSEN) return this.#conclude(evidence, outcome)
    const wish: Wish = {
      nowMs,
      requestsLeft: left,
      mostPauseMs: this.#options.maxPauseMs,
      parameterShare: sure ? 1 : precise ? 0.02 : 0.3,
    }
    const choice = choosePlan(this.belief, wish, this.#random)
    const isEnough = !precise || isConfirmed
    if (choice === null || (isEnough && saysNothing(choice)))
      return this.#conclude(evidence, outcome)
    this.#chosen++
    this.#isTelling = this.#tells(choice)
    return experiment(choice.plan, nowMs, 'Distinguish the remaining explanations.')
  }

  /** Each once; null where they tell nothing, or headers count what others use. */
  #checkAlone(nowMs: number, left: number): Experiment | null {
    const { weighed, grouped } = this.belief
    if (grouped.promise !== null) return null
    const checks = [restedPlan(weighed[0]!, nowMs), competePlan(weighed[0]!, grouped, nowMs)]
    for (const [i, plan] of checks.entries()) {
      if (plan === null || this.#checked.has(i) || costOf(plan.steps) > left) continue
      if (plan.startMs - nowMs > this.#options.maxPauseMs) continue
      this.#checked.add(i)
      return experiment(plan, nowMs, 'Check that nobody else uses the limit.')
    }
    return null
  }

  #isFlexible(kind: LimiterKind): boolean {
    const { pool, best } = explanationsOf(this.belief, kind)[0]!
    const { countsRefused } = pool.hypothesis
    const isLog = kind === 'sliding-log'
    if (isLog && (countsRefused || this.belief.isExcused)) return true
    const isHeld = kind === 'concurrency' && doesServiceVary(this.belief.grouped.timing)
    const isForOne = kind === 'fixed-window' && best.parameters.limit === 1
    return isHeld || isForOne || FLEXIBLE.has(kind)
  }

  #isSure({ kind, probability }: KindShare): boolean {
    return probability >= (this.#isFlexible(kind) ? SURE_FLEXIBLE : SURE)
  }

  #isPrecise(kind: LimiterKind): boolean {
    if (!isPrecise(explanationsOf(this.belief, kind))) return false
    // Afterwards, what is far away would have to explain the answers since then as well. Of the few
    // blocks of a penalty, each may leave windows that are lost again since too few are kept.
    if (this.#precise === 0 || kind === 'penalty') {
      this.belief.scan()
      this.belief.challenge()
    }
    if (kindShares(this.belief)[0]!.kind !== kind) return false
    this.belief.explore(explanationsOf(this.belief, kind)[0]!)
    return isPrecise(explanationsOf(this.belief, kind))
  }

  /** Whether the outcome could still overthrow the best kind. */
  #tells({ kindNats }: Choice): boolean {
    return kindNats > 0.05
  }

  learn(recorded: Evidence): Conclusion {
    if (recorded.every(({ answer }) => answer !== 'refused')) {
      return this.#conclude(recorded, 'settled')
    }
    const grouped = recordedGroups(recorded)
    if (grouped.settled === Infinity) return this.#conclude(recorded, 'blocked')
    for (let i = 0; i < ROUNDS; i++) this.belief.update(grouped)
    this.belief.explore(this.belief.weighed[0]!)
    const [first] = kindShares(this.belief)
    const isSettled = first !== undefined && this.#isSure(first) && this.belief.isNoChance
    return this.#conclude(recorded, isSettled ? 'settled' : 'cannot-tell')
  }

  #conclude(evidence: Evidence, outcome: Conclusion['outcome']): Conclusion {
    return this.#withPromised(this.#concludeOne(evidence, outcome), evidence)
  }

  /** Headers may tell several limits; where they lie, none is believed. */
  #withPromised(conclusion: Conclusion, evidence: Evidence): Conclusion {
    const followed = this.#followed(evidence)
    if (followed === null) return conclusion
    const also = furtherIn(evidence, followed)
    return { ...conclusion, also: also.map((finding) => ({ finding, basis: 'promised' })) }
  }

  #concludeOne(evidence: Evidence, outcome: Conclusion['outcome']): Conclusion {
    const requests = evidence.length
    const finding = this.#finding(evidence, outcome)
    const doubt = finding.kind === 'none' ? null : doubtOf(this.belief, finding, evidence)
    const misses = this.belief.weighed[0]?.best.misses
    const of = misses === undefined ? 0 : this.belief.grouped.groups.length
    const replay = { predicted: of - (misses ?? 0), of }
    const isSettled = doubt === null && outcome === 'settled'
    const headers = this.#options.readHeaders
      ? headersOf(evidence, finding, this.belief, isSettled)
      : null
    const others = this.#options.readHeaders ? this.#others(evidence) : 0
    const base = { kind: 'conclusion', headers, requests, replay, also: [], others } as const
    const probability = Math.min(DOUBTED, finding.probability)
    const isLimit = finding.kind !== 'none' && this.belief.weighed.length > 0
    const late = isLimit ? latenessOf(this.belief, finding) : null
    const surprise = isLimit ? surpriseOf(this.belief) : null
    const caveats = [surprise, late].filter((each) => each !== null)
    // More requests do not settle what contradicts every limit.
    const isOpen = outcome === 'settled' || (surprise !== null && outcome === 'budget-spent')
    const unsettled = isOpen ? 'cannot-tell' : outcome
    if (doubt === null && caveats.length > 0) {
      return { ...base, outcome: unsettled, finding: { ...finding, probability }, reasons: caveats }
    }
    const loose = doubt === null && outcome === 'settled' ? loosenessOf(finding) : null
    if (loose !== null) return { ...base, outcome: 'cannot-tell', finding, reasons: [loose] }
    const isTold = this.belief.weighed.length > 0 && this.belief.grouped.promise !== null
    const isFollowed = isTold && requests > MOST_FOLLOWING - FEW
    if (doubt === null) {
      return {
        ...base,
        outcome,
        finding,
        reasons: reasonsFor(outcome, finding, requests, isFollowed),
      }
    }
    const runnerUp = { kind: finding.kind, probability }
    return {
      ...base,
      outcome: unsettled,
      finding: { ...UNKNOWN, runnerUp },
      reasons: late === null ? [doubt] : [doubt, late],
    }
  }

  /**
   * Counts that a refusal contradicts are not evidence; others are, if no limit explains them.
   */
  #others(evidence: Evidence): number {
    const followed = this.belief.weighed.length === 0 ? 0 : this.belief.grouped.others
    return contradictionIn(evidence) === null ? Math.max(followed, othersIn(evidence)) : followed
  }

  #finding(evidence: Evidence, outcome: Conclusion['outcome']): Finding {
    const isLimited =
      this.belief.weighed.length > 0 || evidence.some(({ answer }) => answer === 'refused')
    if (!isLimited && outcome !== 'target-fails') {
      return { ...UNKNOWN, kind: 'none', probability: 1 }
    }
    return this.belief.weighed.length === 0 ? UNKNOWN : findingOf(this.belief)
  }
}

interface Sustained {
  found: Conclusion
  known: Weighed
  /** Requests before it. */
  from: number
  cycles: number
}

/** A second limit is used up so often: from one return to the next refusal, all of it is. */
const CYCLES = 2

const UNEXPLAINED =
  'A steady client was refused below the limit that was found: a second limit of no known ' +
  'kind may apply, or another client uses the same one.'

function saysNothing({ kindNats, parameterNats }: Choice): boolean {
  return kindNats < 0.02 && parameterNats < 0.1
}

function experiment({ startMs, steps, until }: Plan, nowMs: number, purpose: string): Experiment {
  const start = Math.max(nowMs, startMs)
  return {
    kind: 'experiment',
    purpose,
    startMs: start,
    sends: steps.map(({ afterMs, count }) => ({ afterMs, count })),
    until,
    cost: { requests: costOf(steps), ms: start - nowMs + steps.at(-1)!.afterMs },
  }
}
