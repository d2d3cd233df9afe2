/**
 * Live meters of a run for the progress display: they observe answers and lines, and decide
 * nothing.
 */
import { rankOf } from '../../result/statistics/quantiles.ts'
import type { Answer, Operation, MeasuredOperation } from '../../crew/answer.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { Histogram } from '../../result/counting/histogram.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

/** Milliseconds; null where nothing has been measured yet. */
export interface MeterReadings {
  kickoff: { p50Ms: number | null; p95Ms: number | null }
  status: { perSecond: number; p95Ms: number | null }
  latenessP99Ms: number | null
}

export class Meters {
  readonly #kickoff = new Histogram()
  readonly #status = new Histogram()
  readonly #lateness = new Histogram()
  #readAtMicros: Micros = 0
  #statusAtRead = 0
  #statusPerSecond = 0

  answered(operation: Operation, { timing }: Answer): void {
    const { sentMicros, doneMicros } = timing
    if (sentMicros === null || operation === 'inputs') return
    this.took(operation, doneMicros - sentMicros)
  }

  /** Records the service time of one request. */
  took(operation: MeasuredOperation, micros: Micros): void {
    const histogram = operation === 'kickoff' ? this.#kickoff : this.#status
    histogram.record(micros)
  }

  /**
   * The lateness of requests becomes known when their execution ends; that of the warm-up does not
   * count.
   */
  saw(line: JournalLine): void {
    if (line.type !== 'ended' || line.record.warmUp) return
    const { kickoff, polls } = line.record
    for (const late of kickoff.lateMicros) this.#lateness.record(late)
    for (const late of polls.lateMicros) this.#lateness.record(late)
  }

  read(nowMicros: Micros): MeterReadings {
    const seconds = (nowMicros - this.#readAtMicros) / MICROS_PER_SECOND
    if (seconds >= 1) {
      this.#statusPerSecond = (this.#status.n - this.#statusAtRead) / seconds
      this.#statusAtRead = this.#status.n
      this.#readAtMicros = nowMicros
    }
    return {
      kickoff: { p50Ms: quantileMs(this.#kickoff, 0.5), p95Ms: quantileMs(this.#kickoff, 0.95) },
      status: { perSecond: this.#statusPerSecond, p95Ms: quantileMs(this.#status, 0.95) },
      latenessP99Ms: quantileMs(this.#lateness, 0.99),
    }
  }

  close(): void {
    for (const histogram of [this.#kickoff, this.#status, this.#lateness]) histogram.destroy()
  }
}

function quantileMs(histogram: Histogram, q: number): number | null {
  if (histogram.n === 0) return null
  return histogram.atRank(rankOf(histogram.n, q)) / MICROS_PER_MS
}
