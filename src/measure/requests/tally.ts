/** Counts the requests of one operation, column by column. */
import type { RequestObservations } from '../../analysis/observations.ts'
import { isAnswer } from '../../execution/record/readings.ts'
import type { ErrorClass, ExecutionRecord, RequestColumns } from '../../execution/record/record.ts'
import type { Micros } from '../../base/units.ts'
import type { CountedLifetimes, Counting } from '../tallies/group.ts'

/** One request, from its row in the columns; points in time are on the run's clock. */
export interface RequestRow {
  answer: number | ErrorClass
  intendedMicros: Micros
  lateMicros: Micros
  waitMicros: Micros
  /** -1 when never sent. */
  serviceMicros: Micros
  doneMicros: Micros
  fresh: boolean
  /** Sent again by the retry policy. */
  retry: boolean
  /** A complete answer came. */
  isAnswered: boolean
  /** The answer is an error by `isError`. */
  isError: boolean
}

export function requestRow(
  columns: RequestColumns,
  row: number,
  executionIntendedMicros: Micros,
): RequestRow {
  const intendedMicros = executionIntendedMicros + columns.dueMicros[row]!
  const lateMicros = columns.lateMicros[row]!
  const waitMicros = columns.waitMicros[row]!
  const serviceMicros = columns.serviceMicros[row]!
  const answer = columns.answer[row]!
  return {
    answer,
    intendedMicros,
    lateMicros,
    waitMicros,
    serviceMicros,
    doneMicros: intendedMicros + lateMicros + waitMicros + Math.max(0, serviceMicros),
    fresh: columns.fresh[row] === 1,
    retry: columns.retry[row] === 1,
    isAnswered: isAnswer(answer),
    isError: isError(answer),
  }
}

/**
 * The first kickoff counts from the arrival's own time: one that had to wait under `maxInFlight` is
 * due only when it gets its place, but its client waited from the arrival on.
 */
export function kickoffRow({ kickoff, intendedMicros }: ExecutionRecord, row: number): RequestRow {
  const told = requestRow(kickoff, row, intendedMicros)
  return row === 0 ? { ...told, intendedMicros } : told
}

/**
 * An answer other than 2xx, an unreadable one, or none; a request that we cancelled is not an error
 * of the target.
 */
function isError(answer: number | ErrorClass): boolean {
  if (typeof answer === 'string') return answer !== 'cancelled'
  return answer < 200 || answer > 299
}

export class RequestTally<S extends Counting> implements RequestObservations {
  requests = 0
  errors = 0
  cancelled = 0
  retries = 0
  sent = 0
  fresh = 0
  readonly byClass = new Map<string, { count: number; firstMicros: Micros }>()
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
  connection(row: RequestRow): void {
    if (row.serviceMicros < 0) return
    this.sent++
    if (row.fresh) this.fresh++
  }

  record(row: RequestRow): void {
    this.requests++
    if (row.retry) this.retries++
    if (row.answer === 'cancelled') this.cancelled++
    if (row.isError) this.#error(String(row.answer), row.doneMicros)
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
    for (const [name, { count, firstMicros }] of other.byClass) {
      this.#classed(name, count, firstMicros)
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

  #error(name: string, atMicros: Micros): void {
    this.errors++
    this.#classed(name, 1, atMicros)
  }

  #classed(name: string, count: number, firstMicros: Micros): void {
    const known = this.byClass.get(name)
    if (known === undefined) {
      this.byClass.set(name, { count, firstMicros })
      return
    }
    known.count += count
    known.firstMicros = Math.min(known.firstMicros, firstMicros)
  }
}
