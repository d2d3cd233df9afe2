/**
 * Counts refusals: limits by operation, the waits that the target asked for, and what retries cost.
 */
import type {
  PushbackObservations,
  RefusalObservation,
  RequestObservations,
} from '../../observations.ts'
import type {
  AskedWait,
  ExecutionRecord,
  RequestColumns,
} from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../base/units.ts'
import { Histogram } from '../histogram.ts'
import type { Request } from '../../../execution/record/request.ts'
import { requestAt } from '../../../execution/record/request.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import type { CountedLifetimes, Counting } from './group.ts'
import type { AnswerCode } from '../../../crew/observation.ts'

/**
 * The first kickoff counts from the arrival's own time: one that had to wait under `maxInFlight` is
 * due only when it gets its place, but its client waited from the arrival on.
 */
export function kickoffRow({ kickoff, intendedMicros }: ExecutionRecord, at: number): Request {
  const told = requestAt(kickoff, at, intendedMicros)
  return at === 0 ? { ...told, intendedMicros } : told
}

export class RequestTally<S extends Counting> implements RequestObservations {
  requests = 0
  errors = 0
  cancelled = 0
  retries = 0
  sent = 0
  fresh = 0
  readonly byClass = new Map<AnswerCode, { count: number; firstMicros: Micros }>()
  readonly service: CountedLifetimes<S>
  readonly attempt: CountedLifetimes<S>
  readonly refused: S
  readonly socketWait: S

  constructor(createSample: () => S) {
    this.service = { ended: createSample(), censored: createSample(), never: 0 }
    this.attempt = { ended: createSample(), censored: createSample(), never: 0 }
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
    if (row.isError) this.#error(row.answer, row.doneMicros)
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
    for (const name of ['service', 'attempt'] as const) {
      this[name].ended.add(other[name].ended)
      this[name].censored.add(other[name].censored)
    }
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

  #error(answer: AnswerCode, atMicros: Micros): void {
    this.errors++
    this.#classed(answer, 1, atMicros)
  }

  #classed(answer: AnswerCode, count: number, firstMicros: Micros): void {
    const known = this.byClass.get(answer)
    if (known === undefined) {
      this.byClass.set(answer, { count, firstMicros })
      return
    }
    known.count += count
    known.firstMicros = Math.min(known.firstMicros, firstMicros)
  }
}

const LIMIT_CODES: ReadonlySet<unknown> = new Set([429, 529])
/** Some limiters answer 403, or 503 as nginx does; with a requested wait these are limits too. */
const LIMIT_CODES_THAT_ASK: ReadonlySet<unknown> = new Set([403, 503])

export class PushbackTally implements PushbackObservations {
  readonly waits = { answers: 0, kept: 0, early: 0, longestMicros: 0 }
  readonly hints = { answers: 0, kept: 0, longestMicros: 0 }
  readonly retryWait = new Histogram()
  readonly kickoff = new OperationTally()
  readonly status = new OperationTally()

  record(record: ExecutionRecord): void {
    const { kickoff, polls, intendedMicros } = record
    if (kickoff.asked === undefined && polls.asked === undefined) return
    const row = (columns: RequestColumns, at: number): Request | undefined =>
      at < columns.answer.length ? requestAt(columns, at, intendedMicros) : undefined
    for (const asked of kickoff.asked ?? []) {
      const { request } = asked
      const next = row(kickoff, request + 1) ?? row(polls, 0)
      this.#asked('kickoff', asked, row(kickoff, request), next)
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
    if (row.serviceMicros >= 0) tally.sent(minuteOf(row))
    if (row.isError && LIMIT_CODES.has(row.answer)) tally.refused(row)
    if (row.retry === 0 || before === null) return 0
    tally.retried(String(before.answer))
    return Math.max(0, row.intendedMicros - before.doneMicros)
  }

  #asked(
    operation: MeasuredOperation,
    { micros, hint }: AskedWait,
    row: Request | undefined,
    next: Request | undefined,
  ): void {
    if (row === undefined) return
    if (LIMIT_CODES_THAT_ASK.has(row.answer)) this[operation].refused(row)
    const tally = hint === true ? this.hints : this.waits
    tally.answers++
    tally.longestMicros = Math.max(tally.longestMicros, micros)
    if (next === undefined || next.serviceMicros < 0) return
    const isKept = next.sentMicros - row.doneMicros >= micros
    if (hint === true) this.hints.kept += isKept ? 1 : 0
    else if (isKept) this.waits.kept++
    else this.waits.early++
  }
}

class OperationTally {
  readonly refusals = new Map<number, RefusalObservation>()
  readonly causes = new Map<string, number>()
  /** Requests sent by minute of the run, refused or not. */
  readonly #sent: number[] = []

  sent(minute: number): void {
    this.#sent[minute] = (this.#sent[minute] ?? 0) + 1
  }

  refused(row: Request): void {
    const code = Number(row.answer)
    const known = this.refusals.get(code) ?? new Refusals()
    this.refusals.set(code, known)
    known.count++
    known.firstMicros = Math.min(known.firstMicros, row.doneMicros)
    known.lastMicros = Math.max(known.lastMicros, row.doneMicros)
    const minute = minuteOf(row)
    known.byMinute.set(minute, (known.byMinute.get(minute) ?? 0) + 1)
  }

  retried(cause: string): void {
    this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1)
  }

  /** The most requests that were sent and not refused in a minute that had refusals. */
  get admittedPerMinute(): number {
    const refused = new Map<number, number>()
    for (const { byMinute } of this.refusals.values()) {
      for (const [minute, count] of byMinute) {
        refused.set(minute, (refused.get(minute) ?? 0) + count)
      }
    }
    const admitted = [...refused].map(([minute, count]) => (this.#sent[minute] ?? 0) - count)
    return Math.max(0, ...admitted)
  }
}

class Refusals implements RefusalObservation {
  count = 0
  firstMicros: Micros = Infinity
  lastMicros: Micros = 0
  readonly byMinute = new Map<number, number>()
}

function minuteOf({ doneMicros }: Request): number {
  return Math.max(0, Math.floor(doneMicros / MICROS_PER_MINUTE))
}
