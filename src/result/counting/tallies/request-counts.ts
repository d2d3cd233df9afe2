/** Counts every request of a run by operation; only those of the measured window are timed. */
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { ArrivalSeries } from './arrival-series.ts'
import { AfterLossTally } from './claims.ts'
import { Histogram } from '../histogram.ts'
import { PushbackTally, RequestTally, kickoffRequestOf } from './request-tally.ts'
import { Request } from '../../../execution/record/request.ts'
import type { TimelineRecorder } from './timeline.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'

export class RequestCounts {
  readonly kickoff = new RequestTally(() => new Histogram())
  readonly status = new RequestTally(() => new Histogram())
  readonly lateness = new Histogram()
  readonly pushback = new PushbackTally()
  readonly afterLoss = new AfterLossTally()
  /** Answers, those of the warm-up included. */
  answers = 0
  readonly #timeline: TimelineRecorder
  readonly #series: ArrivalSeries

  constructor(timeline: TimelineRecorder, series: ArrivalSeries) {
    this.#timeline = timeline
    this.#series = series
  }

  record(record: ExecutionRecord): void {
    let retryWaitMicros = 0
    let before: Request | null = null
    for (let i = 0; i < record.kickoff.answer.length; i++) {
      const row = kickoffRequestOf(record, i)
      this.#row('kickoff', row, record)
      if (!record.warmUp) retryWaitMicros += this.pushback.request('kickoff', row, before)
      before = row
    }
    before = null
    for (let i = 0; i < record.polls.answer.length; i++) {
      const row = new Request(record.polls, i, record.intendedMicros)
      this.#row('status', row, record)
      if (!record.warmUp) retryWaitMicros += this.pushback.request('status', row, before)
      before = row
      this.#timeline.count('statusAnswers', row.doneMicros)
    }
    if (retryWaitMicros > 0) this.pushback.retryWait.record(retryWaitMicros)
    if (!record.warmUp) this.pushback.record(record)
    this.afterLoss.record(record)
  }

  histograms(): [string, Histogram][] {
    return [
      ...named('kickoff', this.kickoff),
      ...named('status', this.status),
      ['lateness', this.lateness],
      ['retry.wait', this.pushback.retryWait],
    ]
  }

  #row(operation: MeasuredOperation, row: Request, { index, warmUp }: ExecutionRecord): void {
    this.afterLoss.request(operation, row, index)
    if (row.isAnswered) this.answers++
    if (row.isError) this.#timeline.error(`${operation} ${row.answer}`, row.doneMicros)
    this[operation].connection(row)
    if (warmUp) return
    this[operation].record(row)
    this.#series.request(operation, row, index)
    this.lateness.record(row.lateMicros)
  }
}

function named(operation: string, tally: RequestTally<Histogram>): [string, Histogram][] {
  return tally.samples().map(([name, histogram]) => [`${operation}.${name}`, histogram])
}
