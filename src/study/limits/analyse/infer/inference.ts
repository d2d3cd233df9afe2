/** The loop of the inference: what is known so far goes in, the next experiment comes out. */
import type { Random } from '../../../../base/random.ts'
import type { LimiterKind } from '../../../frame/limiter-kinds.ts'
import { Belief } from './belief.ts'
import {
  confirmationsFor,
  CONFIRMING,
  isLikelyIn,
  explanationsOf,
  rateLimitOf,
  isPrecise,
  kindShares,
} from './inferred-limit.ts'
import { conclusionOf, withCaveat, FEW } from './conclusion.ts'
import { loosenessOf, misfitCaveat, surpriseOf } from './caveats.ts'
import type { SharingCompared } from './sharing.ts'
import { SharingBelief } from './sharing.ts'
import type { Grouped } from './evidence/groups.ts'
import { groupsOf, recordedGroups } from './evidence/groups.ts'
import {
  burstPlan,
  contradictionIn,
  followedIn,
  isSoonBack,
  MOST_FOLLOWING,
  promisedPlan,
  othersIn,
} from './headers/follow.ts'
import type { HeaderCount } from './evidence/promise.ts'
import type {
  Conclusion,
  LimitEvidence,
  Experiment,
  ExperimentPlan,
  InferenceOptions,
} from './interface.ts'
import type { ExperimentChoice } from './plan/choose.ts'
import { choosePlan } from './plan/choose.ts'
import {
  competePlan,
  experiment,
  isClimbed,
  largerPlan,
  rampPlan,
  plannedRequests,
  restedPlan,
  watchPlan,
} from './plan/plans.ts'
import { learnRecorded } from './learn.ts'
import { SafeRateCheck } from './safe-rate.ts'
import { readmissionsIn } from './search/pool.ts'

/** Experiments that are chosen, at most. */
const MOST_CHOSEN = 40
/** From so many nats on, the outcome of an experiment could still overthrow the best kind. */
const TELLING = 0.05
/** The check whether earlier requests used the limit: its number follows those of `#checkAlone`. */
const EARLIER = 2
/** A single request that headers count beyond those sent may be a count that was read late. */
const SOMEBODY = 2

/**
 * `next` is a function of all evidence so far: it can be called with what an interrupted study had
 * gathered. `nowMs` is the present on the clock of the evidence. All answers to an experiment have
 * to be in before the next call.
 */
export class Inference {
  readonly #options: Required<InferenceOptions>
  readonly #random: Random
  /** For traces. */
  belief: Belief
  #isDistrusting = false
  /** Headers are followed with the whole budget: few requests did not settle it. */
  #isFollowingOn = false
  #kind: LimiterKind | null = null
  #confirmed = 0
  /** Rounds in a row after which the parameters have been known well enough. */
  #precise = 0
  #isTelling = false
  /** The checks that nobody else uses the limit, by number: each is made once. */
  readonly #alone = new Set<number>()
  /** Once a limit is settled. */
  #check: SafeRateCheck | null = null
  #chosen = 0
  readonly #sharing: SharingBelief
  /** All so far, and the present on its clock. */
  #evidence: LimitEvidence = []
  #nowMs = 0

  constructor(options: InferenceOptions, random: Random) {
    this.#options = {
      maxRequests: 600,
      mostAtOnce: 160,
      maxPauseMs: 900_000,
      sustainMs: 0,
      sustainKeeps: 20,
      mostToTest: 0,
      readHeaders: true,
      earlier: [],
      ...options,
    }
    this.#sharing = new SharingBelief(this.#options.earlier, random)
    this.#random = random
    this.belief = new Belief(random.fork('belief'))
  }

  next(evidence: LimitEvidence, nowMs: number): Experiment | Conclusion {
    if (this.#check !== null) return this.#check.next(evidence, nowMs)
    this.#evidence = evidence
    this.#nowMs = nowMs
    const step = this.#next()
    return step.kind === 'conclusion' ? this.#checked(step) : step
  }

  /** A safe rate is tried, where another limit may lie beyond the one found. */
  #checked(conclusion: Conclusion): Experiment | Conclusion {
    const { safePerSecond, kind } = conclusion.rateLimit
    const known = explanationsOf(this.belief, kind === 'leaky-bucket' ? 'token-bucket' : kind)[0]
    const isSafe = conclusion.outcome === 'settled' && safePerSecond !== null
    // Headers that are believed have said what applies, within fewer requests.
    if (!isSafe || known === undefined || this.belief.grouped.promise !== null) return conclusion
    const found = { conclusion, known, before: this.#evidence.length }
    const groups = (all: LimitEvidence): Grouped => this.#sharing.groups(groupsOf(all))
    this.#check = new SafeRateCheck(found, groups, this.#options, this.#random)
    return this.#check.first(this.#nowMs) ?? conclusion
  }

  #next(): Experiment | Conclusion {
    const evidence = this.#evidence
    const left = this.#options.maxRequests - evidence.length
    if (doesFail(evidence)) return this.#conclude('target-fails')
    if (this.#believesHeaders && contradictionIn(evidence) !== null) this.#distrust()
    const followed = this.#followed()
    const step = followed === null ? null : this.#followOn(followed, left)
    if (step !== null) return step
    if (evidence.every(({ answer }) => answer !== 'refused')) {
      const plan = rampPlan(evidence, this.#nowMs, this.#options.mostAtOnce)
      if (plan === null || plannedRequests(plan) > left) {
        const isEnough = plan === null || isClimbed(evidence)
        return this.#conclude(isEnough ? 'settled' : 'budget-spent')
      }
      return this.#experiment(plan, 'Find how many requests at once are too many.')
    }
    const grouped = this.#sharing.groups(groupsOf(evidence))
    if (readmissionsIn(grouped.groups).length === 0) {
      const plan = watchPlan(grouped, this.#nowMs)
      if (this.#isLong(plan) || left < 1) return this.#conclude('blocked')
      return this.#experiment(plan, 'Find when requests are let in again.')
    }
    this.belief.update(grouped)
    if (surpriseOf(this.belief) !== null && this.#sharing.isDue(evidence)) this.#compare()
    this.#followKind()
    const next = this.#decide(left)
    return next.kind === 'experiment' ? next : this.#withSharing(next, left)
  }

  /** Before it is concluded: earlier requests to others may have used the same limit. */
  #withSharing(step: Conclusion, left: number): Experiment | Conclusion {
    const compared = this.#compare()
    if (compared === null) return step
    if (compared.isClear) return this.#decide(left)
    const { otherLimit } = compared
    if (otherLimit === null) return step
    const plan = largerPlan(this.belief.weighed[0]!, this.#nowMs, otherLimit)
    const purpose = 'Check whether earlier requests to others used the limit.'
    const check = this.#once(EARLIER, plan, left, purpose)
    if (check !== null || plan === null) return check ?? step
    return withCaveat(step, { code: 'earlier-use', limit: otherLimit })
  }

  /** Null where there is nothing to compare; from then on they count where that is clear. */
  #compare(): SharingCompared | null {
    const own = groupsOf(this.#evidence)
    const compared = this.#sharing.compare(this.belief, own, this.#evidence)
    if (compared?.isClear === true) this.#beginWith(compared.belief)
    return compared
  }

  /** Null once headers have been found to be wrong: nothing that they tell is believed then. */
  #followed(): HeaderCount | null {
    const isBelieved = this.#believesHeaders && contradictionIn(this.#evidence) === null
    return isBelieved ? followedIn(this.#evidence) : null
  }

  get #believesHeaders(): boolean {
    return this.#options.readHeaders && !this.#isDistrusting
  }

  #distrust(): void {
    this.#isDistrusting = true
    this.#beginWith(new Belief(this.#random.fork('belief without headers')))
  }

  #beginWith(belief: Belief): void {
    this.#kind = null
    this.#confirmed = 0
    this.#precise = 0
    this.#chosen = 0
    this.#alone.clear()
    this.belief = belief
  }

  /**
   * Headers steer within few requests, then within all of the budget, and where they do not settle
   * it even so the study goes on without them. Null where it does. What they count of others is
   * the reason already: without them it could only be lost.
   */
  #followOn(followed: HeaderCount, left: number): Experiment | Conclusion | null {
    const step = this.#follow(followed, left)
    const isOpen = step?.kind === 'conclusion' && step.outcome !== 'settled'
    if (!isOpen || left < FEW || this.#others >= SOMEBODY) return step
    if (this.#isFollowingOn) {
      this.#distrust()
      return null
    }
    this.#isFollowingOn = true
    this.#chosen = 0
    return this.#followOn(followed, left)
  }

  get #others(): number {
    const { weighed, grouped } = this.belief
    return Math.max(othersIn(this.#evidence), weighed.length === 0 ? 0 : grouped.others)
  }

  /** Null where headers have just been found to be wrong. */
  #follow(followed: HeaderCount, requestsLeft: number): Experiment | Conclusion | null {
    const evidence = this.#evidence
    const nowMs = this.#nowMs
    const grouped = groupsOf(evidence, followed.key)
    const isTested = this.#isFollowingOn || isSoonBack(followed, this.#options.mostToTest)
    const most = isTested ? Infinity : MOST_FOLLOWING - evidence.length
    const left = Math.max(0, Math.min(requestsLeft, most))
    const burst = burstPlan(grouped, followed, nowMs, left)
    if (burst !== null && plannedRequests(burst) <= left) {
      return this.#experiment(burst, 'Check whether the limit is the one that headers promise.')
    }
    const isRefused = grouped.groups.some(({ refused }) => refused > 0)
    const isBack = grouped.settled < Infinity
    if (isRefused && !isBack && left > 0) {
      const plan =
        promisedPlan(evidence, grouped, followed, { nowMs, most: left }) ??
        watchPlan(grouped, nowMs)
      if (this.#isLong(plan)) return this.#conclude('blocked')
      return this.#experiment(plan, 'Check whether requests are let in again as promised.')
    }
    this.belief.update(grouped)
    if (misfitCaveat(this.belief) !== null && left < FEW) {
      this.#distrust()
      return null
    }
    this.#followKind()
    const step = this.#decide(left)
    if (step.kind === 'conclusion' && step.headers!.lies.length > 0) {
      // It was concluded from these very headers: without them, it is seen who is right.
      this.#distrust()
      return null
    }
    if (step.kind === 'experiment' || readmissionsIn(grouped.groups).length > 0) return step
    // What is left has only been seen to fall: that it comes back as promised is yet to be seen.
    const plan = promisedPlan(evidence, grouped, followed, { nowMs, most: left })
    if (plan === null || left < 1 || this.#isLong(plan)) return step
    return this.#experiment(plan, 'Check whether more is left again as promised.')
  }

  /** What is known so far, without another request. */
  conclude(evidence: LimitEvidence): Conclusion {
    this.#evidence = evidence
    return this.#check?.soFar(evidence) ?? this.#conclude('budget-spent')
  }

  #experiment(plan: ExperimentPlan, purpose: string): Experiment {
    return experiment(plan, this.#nowMs, purpose)
  }

  #isLong({ startMs }: ExperimentPlan): boolean {
    return startMs - this.#nowMs > this.#options.maxPauseMs
  }

  #followKind(): void {
    const [first] = kindShares(this.belief)
    if (first === undefined || first.kind !== this.#kind) {
      this.#kind = first?.kind ?? null
      this.#confirmed = 0
    } else if (this.#isTelling) this.#confirmed++
  }

  #decide(left: number): Experiment | Conclusion {
    const precise = this.#isPrecise(kindShares(this.belief)[0]!.kind)
    const first = kindShares(this.belief)[0]!
    if (first.kind !== this.#kind) this.#followKind()
    const isLikely = isLikelyIn(this.belief, first)
    const sure = isLikely && this.#confirmed >= confirmationsFor(this.belief, first.kind)
    const unsettled = left < FEW ? 'budget-spent' : 'cannot-tell'
    const outcome = isLikely ? 'settled' : unsettled
    this.#precise = precise ? this.#precise + 1 : 0
    const isConfirmed = this.#precise > (first.kind === 'penalty' ? CONFIRMING : 0)
    const isDone = sure && isConfirmed && loosenessOf(rateLimitOf(this.belief)) === null
    const check = isDone ? this.#checkAlone(left) : null
    if (check !== null) return check
    if (isDone || this.#chosen >= MOST_CHOSEN) return this.#conclude(outcome)
    const parameterShare = sure ? 1 : precise ? 0.02 : 0.3
    const mostPauseMs = this.#options.maxPauseMs
    const constraints = { nowMs: this.#nowMs, requestsLeft: left, mostPauseMs, parameterShare }
    const choice = choosePlan(this.belief, constraints, this.#random)
    const isEnough = !precise || isConfirmed
    if (choice === null || (isEnough && saysNothing(choice))) return this.#conclude(outcome)
    this.#chosen++
    this.#isTelling = choice.kindNats > TELLING
    return this.#experiment(choice.plan, 'Distinguish the remaining explanations.')
  }

  /** Each once; null where they tell nothing, or headers count what others use. */
  #checkAlone(left: number): Experiment | null {
    const { weighed, grouped } = this.belief
    if (grouped.promise !== null) return null
    const nowMs = this.#nowMs
    const purpose = 'Check that nobody else uses the limit.'
    const rested = this.#once(0, restedPlan(weighed[0]!, nowMs), left, purpose)
    return rested ?? this.#once(1, competePlan(weighed[0]!, grouped, nowMs), left, purpose)
  }

  /** Null where it has been made before, or costs too much. */
  #once(
    check: number,
    plan: ExperimentPlan | null,
    left: number,
    purpose: string,
  ): Experiment | null {
    if (plan === null || this.#alone.has(check) || plannedRequests(plan) > left) return null
    if (this.#isLong(plan)) return null
    this.#alone.add(check)
    return this.#experiment(plan, purpose)
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

  /** What can be known of requests that were recorded and were no experiments. */
  learn(recorded: LimitEvidence): Conclusion {
    this.#evidence = recorded
    const outcome = outcomeOf(recorded)
    if (outcome !== null) return this.#conclude(outcome, true)
    return learnRecorded(recorded, this.#random, (belief, found) => {
      this.belief = belief
      return this.#conclude(found, true)
    })
  }

  #conclude(outcome: Conclusion['outcome'], isRecorded = false): Conclusion {
    const followed = this.#followed()
    const { readHeaders } = this.#options
    const known = { evidence: this.#evidence, outcome, readHeaders, followed, isRecorded }
    return conclusionOf({ belief: this.belief, ...known })
  }
}

/** So many failures are tolerated, and beyond them so large a share. */
const FAILURES = 5
const FAILURES_SHARE = 0.1

function doesFail(evidence: LimitEvidence): boolean {
  const failed = evidence.filter(({ answer }) => answer === 'failed').length
  return failed > FAILURES && failed > evidence.length * FAILURES_SHARE
}

/** Of a recording that shows nothing more; null where a limit is to be looked for. */
function outcomeOf(recorded: LimitEvidence): Conclusion['outcome'] | null {
  if (doesFail(recorded) || recorded.every(({ answer }) => answer === 'failed')) {
    return 'target-fails'
  }
  if (recorded.every(({ answer }) => answer !== 'refused')) return 'settled'
  return recordedGroups(recorded, 1).settled === Infinity ? 'blocked' : null
}

function saysNothing({ kindNats, parameterNats }: ExperimentChoice): boolean {
  return kindNats < 0.02 && parameterNats < 0.1
}
