/** Counts the requests of one operation, column by column. */
import type { RequestObservations } from '../../observations.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Request } from '../../../execution/record/request.ts'
import { requestAt } from '../../../execution/record/request.ts'
import type { Micros } from '../../../base/units.ts'
import type { CountedLifetimes, Counting } from '../tallies/group.ts'
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
