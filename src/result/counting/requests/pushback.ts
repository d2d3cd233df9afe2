/**
 * Counts refusals: limits by operation, the waits that the target asked for, and what retries cost.
 */
import type { PushbackObservations, RefusalObservation } from '../../observations.ts'
import type {
  AskedWait,
  ExecutionRecord,
  RequestColumns,
} from '../../../execution/record/record.ts'
import { MICROS_PER_MINUTE } from '../../../base/units.ts'
import type { Micros } from '../../../base/units.ts'
import { Histogram } from '../histograms/histogram.ts'
import type { Request } from '../../../execution/record/request.ts'
import { requestAt } from '../../../execution/record/request.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'

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
