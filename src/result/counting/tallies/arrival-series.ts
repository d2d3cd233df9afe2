/**
 * Outcomes and times of the arrivals in their order, in a few dozen bins, from which the
 * autocorrelation is estimated.
 */
import type { Micros } from '../../../base/units.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { WindowTally } from './window.ts'
import { RequestTally } from './request-tally.ts'
import type { Metered } from './usage.ts'
import type { Request } from '../../../execution/record/request.ts'
import { Sketch } from '../sketch.ts'
import type { Counting } from '../../statistics/sample.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'

/** A power of two, because neighbours are merged in pairs. */
const MOST_BINS = 128
/** Times are within 0.5 %: only how many exceed a bound is counted, not how long they are. */
const SKETCH_BASE = 1.01

/**
 * Bins of equal numbers of arrivals, by index from zero on. The number per bin doubles as the run
 * grows, whatever the order of the records.
 */
export class ArrivalSeries {
  #arrivalsPerBin = 1
  #bins: (SeriesBin | undefined)[] = []

  record(record: ExecutionRecord): void {
    this.#binOf(record.index).group.record(record)
  }

  meter(record: ExecutionRecord, metered: Metered): void {
    this.#binOf(record.index).group.usage.meter(record, metered)
  }

  request(operation: MeasuredOperation, row: Request, index: number): void {
    this.#binOf(index).requests[operation].record(row)
  }

  /** The bins in the order of the arrivals, without empty ones. */
  get bins(): readonly ArrivalBin[] {
    return this.#bins.filter((bin) => bin !== undefined)
  }

  /** The bins with the detection delays of a ledger, by index, in place of the bounds by polls. */
  withDetection(delays: readonly { index: number; micros: Micros }[]): readonly ArrivalBin[] {
    const samples = this.#bins.map(() => sketch())
    for (const { index, micros } of delays) samples[this.#placeOf(index)]?.record(micros)
    return this.#bins.flatMap((bin, place) => {
      if (bin === undefined) return []
      const detection = { ...bin.group.detection, ended: samples[place] ?? sketch() }
      return [{ group: bin.group.with({ detection }), requests: bin.requests }]
    })
  }

  #binOf(index: number): SeriesBin {
    while (this.#placeOf(index) >= MOST_BINS) this.#double()
    return (this.#bins[this.#placeOf(index)] ??= emptyBin())
  }

  #placeOf(index: number): number {
    return Math.floor(index / this.#arrivalsPerBin)
  }

  #double(): void {
    this.#arrivalsPerBin *= 2
    const merged: (SeriesBin | undefined)[] = []
    for (let i = 0; i < this.#bins.length; i += 2) {
      const [left, right] = [this.#bins[i], this.#bins[i + 1]]
      if (left !== undefined && right !== undefined) add(left, right)
      merged.push(left ?? right)
    }
    this.#bins = merged
  }
}

/** The outcomes of neighbouring arrivals: a part of the window, in the order of the arrivals. */
export interface ArrivalBin<S extends Counting = Counting> {
  group: WindowTally<S>
  requests: Record<MeasuredOperation, RequestTally<S>>
}

type SeriesBin = ArrivalBin<Sketch>

function emptyBin(): SeriesBin {
  return {
    group: new WindowTally(sketch),
    requests: { kickoff: new RequestTally(sketch), status: new RequestTally(sketch) },
  }
}

function add(left: SeriesBin, right: SeriesBin): void {
  left.group.add(right.group)
  left.requests.kickoff.add(right.requests.kickoff)
  left.requests.status.add(right.requests.status)
}

/**
 * The clamping is off: if each bin read a bucket at its own maximum, times that share one bucket
 * would appear to be clustered.
 */
function sketch(): Sketch {
  return new Sketch(SKETCH_BASE, { within: false })
}
