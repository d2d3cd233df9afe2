/**
 * Counts refusals: limits by operation, the waits that the target asked for, and what retries cost.
 */
import type {
  AskedWait,
  ExecutionRecord,
  RequestColumns,
} from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../base/units.ts'
import { Histogram } from '../histogram.ts'
import { Request } from '../../../execution/record/request.ts'
import { isRefusal } from '../../../crew/answer.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import type { Counting, Lifetimes } from '../../statistics/sample.ts'
import { addLifetimes, lifetimesIn } from '../../statistics/sample.ts'
import type { AnswerCode } from '../../../crew/observation.ts'

/**
 * The first kickoff counts from the arrival's own time: one that had to wait under `maxInFlight` is
 * due only when it gets its place, but its client waited from the arrival on.
 */
export function kickoffRequestOf(
  { kickoff, intendedMicros }: ExecutionRecord,
  at: number,
): Request {
  const request = new Request(kickoff, at, intendedMicros)
  if (at === 0) request.intendedMicros = intendedMicros
  return request
}

export class RequestTally<S extends Counting = Counting> {
  requests = 0
  /**
   * Requests without a usable answer: not 2xx, unreadable, or none. Requests that we cancelled
   * ourselves are not included.
   */
  errors = 0
  cancelled = 0
  /** Requests that the retry policy sent. */
  retries = 0
  /**
   * Requests that were sent, and how many of them opened their connection; including the warm-up.
   */
  sent = 0
  fresh = 0
  readonly byClass = new Map<AnswerCode, { count: number; firstMicros: Micros }>()
  /**
   * Service times of usable answers. A request that never got its answer is censored: the answer
   * would have come later, if at all.
   */
  readonly service: Lifetimes<S>
  /** Intended to last byte, in the same way. */
  readonly attempt: Lifetimes<S>
  /** Service time of complete but unusable answers. */
  readonly refused: S
  readonly socketWait: S

  constructor(createSample: () => S) {
    this.service = lifetimesIn(createSample)
    this.attempt = lifetimesIn(createSample)
    this.refused = createSample()
    this.socketWait = createSample()
  }

  /** Counts the connection of every request, the warm-up included. */
  connection(row: Request): void {
    if (row.serviceMicros < 0) return
    this.sent++
    if (row.fresh === 1) this.fresh++
  }

  record(row: Request): void {
    this.requests++
    if (row.retry === 1) this.retries++
    if (row.answer === 'cancelled') this.cancelled++
    if (row.isError) this.errors++
    if (row.isError) this.#classed(row.answer, 1, row.doneMicros)
    if (row.serviceMicros >= 0) this.socketWait.record(row.waitMicros)
    if (row.isAnswered && row.isError) {
      this.refused.record(row.serviceMicros)
      return
    }
    const side = row.isAnswered ? 'ended' : 'censored'
    this.attempt[side].record(row.doneMicros - row.intendedMicros)
    if (row.serviceMicros >= 0) this.service[side].record(row.serviceMicros)
  }

  add(other: RequestTally<S>): void {
    for (const name of ['requests', 'errors', 'cancelled', 'retries', 'sent', 'fresh'] as const) {
      this[name] += other[name]
    }
    addLifetimes(this.service, other.service)
    addLifetimes(this.attempt, other.attempt)
    this.refused.add(other.refused)
    this.socketWait.add(other.socketWait)
    for (const [answer, { count, firstMicros }] of other.byClass) {
      this.#classed(answer, count, firstMicros)
    }
  }

  samples(): [string, S][] {
    return [
      ['attempt', this.attempt.ended],
      ['attempt.censored', this.attempt.censored],
      ['service', this.service.ended],
      ['service.censored', this.service.censored],
      ['refused', this.refused],
      ['socketWait', this.socketWait],
    ]
  }

  #classed(answer: AnswerCode, count: number, firstMicros: Micros): void {
    const known = this.byClass.get(answer) ?? { count: 0, firstMicros: Infinity }
    this.byClass.set(answer, known)
    known.count += count
    known.firstMicros = Math.min(known.firstMicros, firstMicros)
  }
}

/** The refusals and retries of the measured window. */
export class PushbackTally {
  /** Waits that the target asked for. */
  readonly waits = { answers: 0, kept: 0, early: 0, longestMicros: 0 }
  /** The same of answers that refused nothing. */
  readonly hints = { answers: 0, kept: 0, early: 0, longestMicros: 0 }
  /** The total wait for retries of each execution that had any. */
  readonly retryWait = new Histogram()
  readonly kickoff = new RefusalTally()
  readonly status = new RefusalTally()

  record(record: ExecutionRecord): void {
    const { kickoff, polls, intendedMicros } = record
    if (kickoff.asked === undefined && polls.asked === undefined) return
    const row = (columns: RequestColumns, at: number): Request | undefined =>
      at < columns.answer.length ? new Request(columns, at, intendedMicros) : undefined
    for (const asked of kickoff.asked ?? []) {
      const next = row(kickoff, asked.request + 1) ?? row(polls, 0)
      this.#asked('kickoff', asked, row(kickoff, asked.request), next)
    }
    for (const asked of polls.asked ?? []) {
      this.#asked('status', asked, row(polls, asked.request), row(polls, asked.request + 1))
    }
  }

  /**
   * The time for which the execution waited before a retry; 0 for a request that is not a retry.
   * `before`: the previous request of the execution.
   */
  request(operation: MeasuredOperation, row: Request, before: Request | null): Micros {
    const tally = this[operation]
    if (row.serviceMicros >= 0) tally.sent(row)
    if (isRefusal(row.answer, false)) tally.refused(row)
    if (row.retry === 0 || before === null) return 0
    increment(tally.causes, before.answer)
    return Math.max(0, row.intendedMicros - before.doneMicros)
  }

  #asked(
    operation: MeasuredOperation,
    { micros, hint }: AskedWait,
    row: Request | undefined,
    next: Request | undefined,
  ): void {
    if (row === undefined) return
    // Those that need not ask were counted as requests.
    if (isRefusal(row.answer, true) && !isRefusal(row.answer, false)) this[operation].refused(row)
    const tally = hint === true ? this.hints : this.waits
    tally.answers++
    tally.longestMicros = Math.max(tally.longestMicros, micros)
    if (next === undefined || next.serviceMicros < 0) return
    tally[next.sentMicros - row.doneMicros >= micros ? 'kept' : 'early']++
  }
}

interface Refusals {
  count: number
  firstMicros: Micros
  lastMicros: Micros
  /** By minute of the run. */
  byMinute: Map<number, number>
}

class RefusalTally {
  /** Refusals that asked the client to slow down, by code. */
  readonly refusals = new Map<number, Refusals>()
  /** Retries by the answer that was retried. */
  readonly causes = new Map<AnswerCode, number>()
  /** Requests sent by minute of the run, refused or not. */
  readonly #sent = new Map<number, number>()

  sent(row: Request): void {
    increment(this.#sent, minuteOf(row))
  }

  refused(row: Request): void {
    const { doneMicros } = row
    const blank = { count: 0, firstMicros: Infinity, lastMicros: 0, byMinute: new Map() }
    const known: Refusals = this.refusals.get(Number(row.answer)) ?? blank
    this.refusals.set(Number(row.answer), known)
    known.count++
    known.firstMicros = Math.min(known.firstMicros, doneMicros)
    known.lastMicros = Math.max(known.lastMicros, doneMicros)
    increment(known.byMinute, minuteOf(row))
  }

  /** The most requests that were sent and not refused in a minute that had refusals. */
  get admittedPerMinute(): number {
    const refused = new Map<number, number>()
    for (const { byMinute } of this.refusals.values()) {
      for (const [minute, count] of byMinute) increment(refused, minute, count)
    }
    const admitted = [...refused].map(([minute, count]) => (this.#sent.get(minute) ?? 0) - count)
    return Math.max(0, ...admitted)
  }
}

function increment<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

function minuteOf({ doneMicros }: Request): number {
  return Math.max(0, Math.floor(doneMicros / MICROS_PER_MINUTE))
}
