/** Budgets: what may be sent, what was, what is set aside for a part, and what is left. */
import type { PushLine } from '../execution/record/journal-lines.ts'
import { mayCost } from '../execution/record/readings.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import type { Used } from '../execution/record/used.ts'
import { UsedByPushes } from '../execution/record/used.ts'
import type { BudgetPlan, Plan } from '../scenario/plan.ts'
import { costOf } from '../scenario/prices.ts'
import type { InstanceShare } from './interface.ts'
import { partOf } from './interface.ts'

export type BudgetKind = 'kickoff' | 'request'

/** Null is unlimited. */
export type BudgetLimits = Pick<BudgetPlan, 'kickoffs' | 'requests'>

export const NO_LIMITS: BudgetLimits = { kickoffs: null, requests: null }

/** Kickoffs count among the requests; so do polls, confirmations and preflights. */
export interface Spent {
  kickoffs: number
  requests: number
}

export const NOTHING_SPENT: Spent = { kickoffs: 0, requests: 0 }

const KEY_OF = { kickoff: 'kickoffs', request: 'requests' } as const
const KEYS = ['kickoffs', 'requests'] as const
type Key = (typeof KEYS)[number]

interface BudgetOptions {
  /** Sent before; the whole has counted it already. Default: nothing. */
  spent?: Spent
  /** The budget of which this is a part: what is sent is taken from both. Default: none. */
  whole?: SendingBudget | undefined
}

/**
 * The budget of a run, of the parts of a mix, of the trials of a study, or of the tools of a
 * server. It counts in this thread only.
 */
export class SendingBudget {
  readonly limits: BudgetLimits & Pick<BudgetPlan, 'cost'>
  /** What executions cost together, where that is measured. */
  readonly cost: CostBudget | undefined
  readonly #whole: SendingBudget | undefined
  readonly #spent: Spent
  readonly #reservedByParts = { ...NOTHING_SPENT }
  readonly #ownReserve = { ...NOTHING_SPENT }

  constructor(
    limits: SendingBudget['limits'],
    { spent = NOTHING_SPENT, whole }: BudgetOptions = {},
  ) {
    this.limits = limits
    this.#whole = whole
    this.#spent = { ...spent }
    this.cost = whole?.cost ?? (limits.cost && new CostBudget(limits.cost))
  }

  /** By its parts as well. */
  get spent(): Spent {
    return { ...this.#spent }
  }

  /** For its parts, and not sent yet. */
  get reservedByParts(): Spent {
    return { ...this.#reservedByParts }
  }

  /** For this part, and not sent yet. */
  get ownReserve(): Spent {
    return { ...this.#ownReserve }
  }

  /** Never below 0. */
  get left(): BudgetLimits {
    const own = (key: Key): number | null => {
      const limit = this.limits[key]
      return limit === null
        ? null
        : Math.max(0, limit - this.#spent[key] - this.#reservedByParts[key])
    }
    const left = { kickoffs: own('kickoffs'), requests: own('requests') }
    return this.#whole === undefined ? left : narrowed(left, this.#whole.left)
  }

  hasRoomFor(wanted: Spent): boolean {
    const { left } = this
    return KEYS.every((key) => wanted[key] <= (left[key] ?? Infinity))
  }

  /** Takes one; returns false if none is left. */
  spend(kind: BudgetKind): boolean {
    const key = KEY_OF[kind]
    if (!this.#hasOne(key)) return false
    this.#take(key, 1)
    return true
  }

  /** Counts what was sent without `spend`. */
  add(sent: Spent): void {
    for (const key of KEYS) this.#take(key, sent[key])
  }

  /** Sets so much of the whole aside for this part; returns false if too little is left there. */
  reserve(most: Spent): boolean {
    if (this.#whole?.hasRoomFor(most) === false) return false
    for (const key of KEYS) this.#addToReserve(key, most[key])
    return true
  }

  /** Gives back what was reserved for this part, and not sent. */
  settle(): void {
    for (const key of KEYS) this.#addToReserve(key, -this.#ownReserve[key])
  }

  /** As `settle`; what this part sent does not count in the whole. */
  discard(): void {
    this.settle()
    for (const key of KEYS) this.#take(key, -this.#spent[key])
  }

  /**
   * The share of an instance in what is left: the shares sum to it. What was spent before counts as
   * spent by the first instance.
   */
  shareOf(share: InstanceShare): SendingBudget {
    const { left, spent: before } = this
    const { cost } = this.limits
    const spent = share.instance === 0 ? before : NOTHING_SPENT
    const most = (key: Key): number | null => {
      const whole = left[key]
      return whole === null ? null : spent[key] + partOf(whole, share)
    }
    const limits = {
      kickoffs: most('kickoffs'),
      requests: most('requests'),
      ...(cost && { cost: { ...cost, most: cost.most / share.instances } }),
    }
    return new SendingBudget(limits, { spent })
  }

  #hasOne(key: Key): boolean {
    const limit = this.limits[key]
    if (limit !== null && this.#spent[key] + this.#reservedByParts[key] >= limit) return false
    return this.#ownReserve[key] > 0 || this.#whole === undefined || this.#whole.#hasOne(key)
  }

  #take(key: Key, count: number): void {
    this.#spent[key] += count
    if (this.#whole === undefined) return
    this.#addToReserve(key, -Math.max(0, Math.min(count, this.#ownReserve[key])))
    this.#whole.#take(key, count)
  }

  #addToReserve(key: Key, more: number): void {
    this.#ownReserve[key] += more
    if (this.#whole !== undefined) this.#whole.#reservedByParts[key] += more
  }
}

/**
 * Bounds what executions cost together, of one run or of all that share it: what is measured of
 * those that report it, and an estimate for each other one that was started. Until one ends, it
 * counts as much as the estimate, or as the mean of those measured if that is more; so the bound is
 * passed by at most what those under way cost beyond it.
 */
export class CostBudget {
  readonly #most: number
  readonly perKickoff: number
  open = 0
  estimated = 0
  measured = { executions: 0, micros: 0 }

  constructor({ most, perKickoff }: NonNullable<BudgetPlan['cost']>) {
    this.#most = most
    this.perKickoff = perKickoff
  }

  /** Whether one more may be started. */
  get hasRoom(): boolean {
    const { executions, micros } = this.measured
    const mean = executions === 0 ? 0 : micros / executions
    const each = Math.max(this.perKickoff, mean)
    // Sums of decimal amounts are not exact: a millionth decides nothing.
    return micros + this.estimated + (this.open + 1) * each <= this.#most + 1
  }
}

/** Counts the executions of one run in a budget, at its own prices. */
export class CostCount {
  readonly #prices: Plan['prices']
  readonly #listens: boolean
  readonly #used = new UsedByPushes(kept)
  readonly budget: CostBudget

  constructor({ prices, webhooks }: Pick<Plan, 'prices' | 'webhooks'>, budget: CostBudget) {
    this.#prices = prices
    this.#listens = webhooks !== undefined
    this.budget = budget
  }

  started(): void {
    this.budget.open++
  }

  /** A kickoff is sent again: the attempt before may have started an execution that nobody sees. */
  repeated(): void {
    this.budget.estimated += this.budget.perKickoff
  }

  ended(record: ExecutionRecord): void {
    this.budget.open--
    this.#count(record, this.#used.ended(record, this.#listens), 1)
  }

  /** As a push reports more of what an execution used. */
  correctCost(line: PushLine): void {
    const corrected = this.#used.pushed(line)
    if (corrected === null) return
    this.#count(corrected.record, corrected.before, -1)
    this.#count(corrected.record, corrected.after, 1)
  }

  #count(record: ReturnType<typeof kept>, used: Used | null, times: 1 | -1): void {
    const cost = used && costOf(used.usage, this.#prices)
    const { measured, perKickoff } = this.budget
    if (used?.isWhole === true && cost?.isWhole === true) {
      measured.executions += times
      measured.micros += times * cost.micros
    } else if (mayCost(record)) {
      this.budget.estimated += times * Math.max(cost?.micros ?? 0, perKickoff)
    }
  }
}

/** What is needed of one that has ended, as long as pushes may come. */
function kept({
  outcome,
  acceptedMicros,
  sentMicros,
  lastNotDoneSentMicros,
  reported: { usage },
}: ExecutionRecord) {
  const reported = usage === undefined ? {} : { usage }
  return { outcome, acceptedMicros, sentMicros, lastNotDoneSentMicros, reported }
}

export function sumOfSpent(all: readonly Spent[]): Spent {
  return {
    kickoffs: all.reduce((sum, { kickoffs }) => sum + kickoffs, 0),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
  }
}

/** The same with the smaller of each two limits. */
export function narrowed<L extends BudgetLimits>(limits: L, others: BudgetLimits): L {
  return {
    ...limits,
    kickoffs: leastOf(limits.kickoffs, others.kickoffs),
    requests: leastOf(limits.requests, others.requests),
  }
}

/** The smallest of the limits; null means none. */
export function leastOf(...limits: readonly (number | null | undefined)[]): number | null {
  const set = limits.filter((limit) => limit !== null && limit !== undefined)
  return set.length === 0 ? null : Math.min(...set)
}
