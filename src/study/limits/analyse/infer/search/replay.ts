/**
 * How well a model predicts what was observed, group by group. A time that disagrees with an
 * answer by no more than the network's jitter costs little; one beyond is a miss, and a miss costs
 * about the same however large it is, so that no single answer can decide alone.
 */
import { turnCost } from '../evidence/timing.ts'
import type { RequestGroup, Grouped, Left } from '../evidence/groups.ts'
import { emptyGroup } from '../evidence/groups.ts'
import type { Model } from '../hypotheses/hypothesis.ts'

/** Natural logarithm of what a miss is worth. */
const MISS = 7
/** A smaller cost says nothing. */
const CLEAR = 0.5
/** Beyond that the cost grows slowly, so that a search is drawn to smaller misses. */
const SLOPE = 0.3
/** The logistic function with this factor is close to the normal distribution function. */
const LOGISTIC = 1.7

/**
 * What all refusals cost at most until requests are let in again: others may have used the limit
 * before there was evidence.
 */
const MOST_EARLY = 5

/**
 * What all times cost at most that headers tell: they may be wrong where their counts are right.
 */
const MOST_RESTORED = 14
/** That Retry-After says when all of the limit is left again, and not when one is let in. */
const WAITS_FOR_ALL = 3

export interface LimitReplay {
  /** Natural logarithm of the likelihood, 0 or less. */
  fit: number
  misses: number
  /** Nats that refusals cost before any request was let in again. */
  lostEarly: number
  /** The number of groups that were replayed. */
  groups: number
  /** The part of the loss that late arrivals may explain; 0 unless asked for. */
  excused: number
  /** What answers in turn cost, in nats. */
  inTurn: number
}

/**
 * The fit if each late request had arrived when it suits the model best within its own round trip:
 * lateness does not explain what is lost then. That a target answers in turn is no misfit of its
 * limit, and is left out.
 */
export function fitAtBest(model: Model<object>, grouped: Grouped): number {
  const { fit, excused, inTurn } = replay(model, grouped, -Infinity, true)
  return fit + excused + inTurn
}

/** Below `floor` it does not matter how far: the replay ends there. */
export function replay(
  model: Model<object>,
  { groups, timing: { sigmaMs: usualMs }, turn, settled, promise }: Grouped,
  floor = -Infinity,
  isExcusing = false,
): LimitReplay {
  const judge = new Judge(model)
  const inTurn = turn === null ? 0 : turnCost(model.turnMs, turn)
  let fit = -inTurn
  let misses = 0
  let early = 0
  let restoredNext = 0
  let restoredAny = 0
  let excused = 0
  const lateness = new Lateness(model.memoryMs, usualMs)
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!
    if (group.isOthers) {
      model.advance(judge.state, group, group.refused)
      continue
    }
    judge.sigmaMs = lateness.sigmaOf(group)
    let lost = judge.accepted(group)
    // What is lost already is enough: the rest of the group, and what follows, can only add to it.
    if (fit - lost < floor && !isExcusing) return hopeless(i, inTurn)
    const refused = judge.refused(group)
    if (i < settled) early += refused
    else lost += refused
    if (isExcusing && lateness.errorMs > 0) {
      const judged = i < settled ? { ...group, refused: 0 } : group
      excused += Math.max(0, lost - judge.atBest(judged, usualMs, lateness.errorMs))
    }
    if (fit - lost < floor) return hopeless(i, inTurn, excused)
    const { left } = group
    const counted = left === null ? 0 : judge.left(group, left)
    advanceModel(model, judge.state, group, promise)
    if (left !== null) {
      const isOpen = counted > CLEAR && model.turnMs === null
      const after = isOpen ? judge.leftAfter(group, left) : counted
      lost = Math.max(lost, Math.min(counted, after))
    }
    fit -= lost
    if (fit < floor) return hopeless(i, inTurn, excused)
    if (lost >= MISS - 1) misses++
    if (promise !== null && group.restored !== null && restoredAny < MOST_RESTORED) {
      const { next, any } = judge.restored(group, promise.limit)
      restoredAny += any
      restoredNext += group.restored.isNext ? next : any
    }
  }
  const restored = Math.min(restoredNext, restoredAny + WAITS_FOR_ALL, MOST_RESTORED)
  fit -= Math.min(early, MOST_EARLY) + restored
  return { fit, misses, lostEarly: early, groups: groups.length, excused, inTurn }
}

/** A replay that ended below its floor, at that group. */
function hopeless(groups: number, inTurn: number, excused = 0): LimitReplay {
  return { fit: -Infinity, misses: Infinity, lostEarly: 0, groups, excused, inTurn }
}

/** What groups whose arrivals are poorly known leave to those that they matter to. */
class Lateness {
  readonly #memoryMs: number
  readonly #usualMs: number
  readonly #late: RequestGroup[] = []
  /** The first of them that may still matter. */
  #from = 0
  #sigmaMs: number
  /** The error of the group that was asked for last, including what those before it add. */
  errorMs = 0

  constructor(memoryMs: number, usualMs: number) {
    this.#memoryMs = memoryMs
    this.#usualMs = usualMs
    this.#sigmaMs = usualMs
  }

  /** Standard deviation of the arrivals of the next group, in order of time. */
  sigmaOf(group: RequestGroup): number {
    const errorMs = this.#before(group.firstMs) + group.errorMs
    if (errorMs !== this.errorMs) {
      this.#sigmaMs = errorMs === 0 ? this.#usualMs : Math.hypot(this.#usualMs, errorMs)
      this.errorMs = errorMs
    }
    if (group.errorMs > 0) this.#late.push(group)
    return this.#sigmaMs
  }

  /** The largest error of those that still matter. */
  #before(firstMs: number): number {
    const late = this.#late
    while (this.#from < late.length && this.#isOver(late[this.#from]!, firstMs)) this.#from++
    let mostMs = 0
    for (let i = this.#from; i < late.length; i++) {
      const one = late[i]!
      if (one.errorMs > mostMs && !this.#isOver(one, firstMs)) mostMs = one.errorMs
    }
    return mostMs
  }

  #isOver({ lastMs }: RequestGroup, firstMs: number): boolean {
    return lastMs + this.#memoryMs <= firstMs
  }
}

/** It serves every question, because a model keeps nothing of the group that it is asked about. */
const moment = emptyGroup(0, 0)

function momentAt(ms: number): RequestGroup {
  moment.firstMs = ms
  moment.lastMs = ms
  return moment
}

/** What the answers of a group cost a model, in nats. */
class Judge {
  readonly #model: Model<object>
  readonly state: object
  /** Standard deviation of the arrivals of the group. */
  sigmaMs = 0

  constructor(model: Model<object>) {
    this.#model = model
    this.state = model.fresh()
  }

  /** `excusedMs`: by so much the arrivals may have been on the side that suits the model. */
  accepted(group: RequestGroup, excusedMs = 0): number {
    const { accepted, lastAcceptedMs } = group
    if (accepted === 0) return 0
    return this.#cost(this.#timeOf(accepted, group) - lastAcceptedMs - excusedMs)
  }

  refused(group: RequestGroup, excusedMs = 0): number {
    const { accepted, refused, firstRefusedMs, lastRefusedMs } = group
    if (refused === 0) return 0
    const refusedMs = this.#model.raises ? firstRefusedMs : lastRefusedMs
    const atEnd = this.#cost(refusedMs - this.#timeOf(accepted + 1, group) - excusedMs)
    if (atEnd < 1) return atEnd
    // The refused ones may have come first, and the others after a time within the group.
    const { firstMs, lastMs } = group
    const turnMs = firstMs + ((lastMs - firstMs) * refused) / (accepted + refused)
    return Math.min(atEnd, this.#cost(turnMs - this.#timeOf(1, group)))
  }

  /** Of a group with late arrivals, or one that depends on some, at the best lateness. */
  atBest(group: RequestGroup, usualMs: number, errorMs: number): number {
    const { sigmaMs } = this
    this.sigmaMs = usualMs
    const least = this.accepted(group, errorMs) + this.refused(group, errorMs)
    this.sigmaMs = sigmaMs
    return least
  }

  /** As if as many as are left, and one more, had followed at once: all but the last get in. */
  left(group: RequestGroup, { count, fromMs, toMs }: Left): number {
    const total = group.accepted + count
    const early = total === 0 ? 0 : this.#cost(this.#timeOf(total, group) - toMs)
    return Math.max(early, this.#cost(fromMs - this.#timeOf(total + 1, group)))
  }

  /** What is left may be counted after a window has ended in which the request was still let in. */
  leftAfter({ lastMs }: RequestGroup, { count, fromMs, toMs }: Left): number {
    const after = momentAt(lastMs)
    const early = count === 0 ? 0 : this.#cost(this.#timeOf(count, after) - toMs)
    return Math.max(early, this.#cost(fromMs - this.#timeOf(count + 1, after)))
  }

  /** Dialects tell when the next request is let in, or when all of the limit is left again. */
  restored({ lastMs, left, restored }: RequestGroup, limit: number): { next: number; any: number } {
    const { fromMs, toMs } = restored!
    const after = momentAt(lastMs)
    const costAt = (k: number): number => {
      const ms = this.#timeOf(k, after)
      return Math.max(this.#cost(fromMs - ms), this.#cost(ms - toMs))
    }
    const next = costAt((left?.count ?? 0) + 1)
    return { next, any: next === 0 ? 0 : Math.min(next, costAt(limit)) }
  }

  #timeOf(k: number, group: RequestGroup): number {
    return this.#model.timeOf(this.state, k, group)
  }

  /** `slackMs`: by so much an answer came on the wrong side of its time. */
  #cost(slackMs: number): number {
    const slack = slackMs / this.sigmaMs
    if (slack < -4) return 0
    if (slack > FAR) return missed(slack)
    const near = Math.log1p(Math.exp(LOGISTIC * slack))
    if (slack <= 0) return near
    const far = missed(slack)
    // A time that is not known is a miss.
    return near < far ? near : far
  }
}

/** So many standard deviations beyond its time, an answer is a miss, and no jitter any more. */
const FAR = 8

function missed(slack: number): number {
  const nats = MISS + SLOPE * Math.log1p(slack / 10)
  return Number.isFinite(nats) ? nats : MISS + 5
}

/**
 * Where all of the limit is left, nothing before matters. Buckets are left alone: they may have
 * filled between the group and its answers.
 */
export function advanceModel(
  model: Model<object>,
  state: object,
  group: RequestGroup,
  promise: Grouped['promise'],
): void {
  model.advance(state, group, group.refused)
  if (group.left === null || promise === null || model.turnMs !== null) return
  const isFull = group.left.count >= promise.limit
  if (isFull) Object.assign(state, model.fresh())
}
