/** The run over time: counts by interval, whose length doubles as the run grows. */
import type { OpenExecution } from '../open-executions.ts'
import { sawTheEnd } from '../../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { UNSERVED } from '../../../scenario/outcomes.ts'
import type { Micros } from '../../../base/units.ts'
import type { Sample } from '../../statistics/sample.ts'
import { Sketch } from '../sketch.ts'

/**
 * Starts at 250 ms and doubles past 240 intervals, so that short runs show detail and long ones
 * stay small.
 */
const FIRST_INTERVAL_MICROS = 250_000
const MOST_INTERVALS = 240
/** 0.5 % is more precise than a figure can show. */
const SKETCH_BASE = 1.01

const COLUMNS = [
  'offered',
  'unresolved',
  'accepted',
  'ended',
  'completed',
  'unserved',
  'served',
  'landed',
  'statusAnswers',
] as const
type TimelineColumn = (typeof COLUMNS)[number]
const TIMED = ['executions', 'kickoffs'] as const
type TimedKind = (typeof TIMED)[number]

/**
 * Counts by interval over the whole run, including the warm-up; columns of equal length. `offered`
 * are arrivals, without those that were not reached. `unresolved` are those of them whose end was
 * not seen, because they were aborted or cut, or a person had not answered. `completed` and
 * `unserved` are parts of `ended`. `served` are completed ones, by when they were intended, as
 * `offered` is. `landed` are the ends of accepted executions.
 */
export interface Timeline
  extends Record<TimelineColumn, readonly number[]>, Record<TimedKind, readonly Sample[]> {
  intervalMicros: Micros
  /** When a client last learned that an execution completed; null if none did. */
  lastCompletedMicros: Micros | null
  inFlight: readonly number[]
  errors: ReadonlyMap<string, readonly number[]>
}

/**
 * All counts are sums, and neighbours are merged in pairs from zero on: the result depends on what
 * was counted, not on the order.
 */
export class TimelineRecorder {
  #intervalMicros = FIRST_INTERVAL_MICROS
  #length = 0
  readonly #counts = Object.fromEntries(
    COLUMNS.map((column) => [column, [] as number[]]),
  ) as Record<TimelineColumn, number[]>
  readonly #times: Record<TimedKind, (Sketch | undefined)[]> = { executions: [], kickoffs: [] }
  readonly #errors = new Map<string, number[]>()
  #firstUnreachedMicros: Micros = Infinity
  #lastCompletedMicros: Micros | null = null

  /**
   * An arrival that was not reached put no load on the target; only the time of the first one is
   * kept.
   */
  execution(record: ExecutionRecord): void {
    const { intendedMicros, acceptedMicros, endedMicros, outcome } = record
    if (outcome === 'notReached') {
      this.#firstUnreachedMicros = Math.min(this.#firstUnreachedMicros, endedMicros)
      return
    }
    this.count('offered', intendedMicros)
    if (outcome === 'aborted' || outcome === 'paused') this.count('unresolved', intendedMicros)
    this.count('ended', endedMicros)
    if (UNSERVED.some((each) => each === outcome)) this.count('unserved', endedMicros)
    if (outcome === 'completed') {
      this.count('completed', endedMicros)
      this.count('served', intendedMicros)
      this.#lastCompletedMicros = Math.max(this.#lastCompletedMicros ?? 0, endedMicros)
    }
    if (acceptedMicros === null) return
    this.count('accepted', acceptedMicros)
    this.time('kickoffs', acceptedMicros, acceptedMicros - intendedMicros)
    this.count('landed', endedMicros)
    if (sawTheEnd(record)) this.time('executions', endedMicros, endedMicros - intendedMicros)
  }

  count(column: TimelineColumn, atMicros: Micros): void {
    const slot = this.#slot(atMicros)
    increment(this.#counts[column], slot)
  }

  error(name: string, atMicros: Micros): void {
    const slot = this.#slot(atMicros)
    const counts = this.#errors.get(name) ?? []
    increment(counts, slot)
    this.#errors.set(name, counts)
  }

  time(kind: TimedKind, atMicros: Micros, micros: Micros): void {
    const slot = this.#slot(atMicros)
    const sketch = (this.#times[kind][slot] ??= new Sketch(SKETCH_BASE))
    sketch.record(micros)
  }

  /** Extends the timeline to a time at which nothing was counted. */
  reach(atMicros: Micros): void {
    this.#slot(atMicros)
  }

  /** When the first arrival was given up unsent; null when all were sent or dropped. */
  get firstUnreachedMicros(): Micros | null {
    return this.#firstUnreachedMicros === Infinity ? null : this.#firstUnreachedMicros
  }

  /** `stillOpen`: executions whose end no line reports. */
  snapshot(
    stillOpen: readonly Pick<OpenExecution, 'intendedMicros' | 'acceptedMicros'>[],
  ): Timeline {
    const length = this.#length
    const columns = Object.fromEntries(
      COLUMNS.map((column) => [column, filled(this.#counts[column], length)]),
    ) as Record<TimelineColumn, number[]>
    const slotOf = (atMicros: Micros): number =>
      Math.max(0, Math.min(length - 1, Math.floor(atMicros / this.#intervalMicros)))
    for (const { intendedMicros, acceptedMicros } of stillOpen) {
      increment(columns.offered, slotOf(intendedMicros))
      increment(columns.unresolved, slotOf(intendedMicros))
      if (acceptedMicros !== null) increment(columns.accepted, slotOf(acceptedMicros))
    }
    let inFlight = 0
    return {
      ...columns,
      intervalMicros: this.#intervalMicros,
      lastCompletedMicros: this.#lastCompletedMicros,
      inFlight: columns.accepted.map((count, at) => (inFlight += count - columns.landed[at]!)),
      executions: this.#sketches('executions'),
      kickoffs: this.#sketches('kickoffs'),
      errors: new Map(
        [...this.#errors]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, counts]) => [name, filled(counts, length)]),
      ),
    }
  }

  #slot(atMicros: Micros): number {
    const at = Math.max(0, atMicros)
    while (at >= MOST_INTERVALS * this.#intervalMicros) this.#double()
    const slot = Math.floor(at / this.#intervalMicros)
    if (slot >= this.#length) this.#length = slot + 1
    return slot
  }

  #double(): void {
    this.#intervalMicros *= 2
    this.#length = Math.ceil(this.#length / 2)
    for (const column of COLUMNS) this.#counts[column] = merged(this.#counts[column])
    for (const [name, counts] of this.#errors) this.#errors.set(name, merged(counts))
    for (const kind of TIMED) this.#times[kind] = mergedSketches(this.#times[kind])
  }

  #sketches(kind: TimedKind): Sketch[] {
    return Array.from(
      { length: this.#length },
      (_, slot) => this.#times[kind][slot] ?? new Sketch(SKETCH_BASE),
    )
  }
}

function increment(counts: number[], slot: number): void {
  counts[slot] = (counts[slot] ?? 0) + 1
}

function filled(counts: readonly number[], length: number): number[] {
  return Array.from({ length }, (_, slot) => counts[slot] ?? 0)
}

function merged(counts: readonly number[]): number[] {
  const half = Math.ceil(counts.length / 2)
  return Array.from(
    { length: half },
    (_, slot) => (counts[2 * slot] ?? 0) + (counts[2 * slot + 1] ?? 0),
  )
}

function mergedSketches(sketches: readonly (Sketch | undefined)[]): (Sketch | undefined)[] {
  const half = Math.ceil(sketches.length / 2)
  return Array.from({ length: half }, (_, slot) => {
    const left = sketches[2 * slot]
    const right = sketches[2 * slot + 1]
    if (left !== undefined && right !== undefined) left.add(right)
    return left ?? right
  })
}
