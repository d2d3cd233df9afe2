/** When a fault is on: consecutive spans of time that never overlap. */
import { draw } from '../../../src/base/distribution.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { FaultTime } from './fault.ts'

/**
 * A span from `fromMicros` up to but excluding `untilMicros`, which is Infinity if it does not end.
 */
export interface FaultSpan {
  fromMicros: Micros
  untilMicros: Micros
}

export interface Spans {
  /**
   * The last span that begins at or before `nowMicros`, over or not; null before the first. Times
   * must not decrease between calls.
   */
  last(nowMicros: Micros): FaultSpan | null
  /** The first span that begins after `nowMicros`; null if there is none. */
  next(nowMicros: Micros): FaultSpan | null
  /** The last `SPANS_SHOWN` spans that began at or before `nowMicros`, in order of time. */
  past(nowMicros: Micros): FaultSpan[]
}

/** Bounded because a crew may run for days with a fault that turns on every second. */
const SPANS_SHOWN = 1_000

const NEVER_LESS_MICROS = 1

/** `zeroMicros`: the time from which the fault's times count. */
export function createSpans(
  time: FaultTime | null,
  { zeroMicros, random }: { zeroMicros: Micros; random: Random },
): Spans {
  if (time === null) return new Windows(zeroMicros, Infinity, Infinity)
  if (time.kind === 'episodes') return new Episodes(time, zeroMicros, random)
  const { fromMicros, forMicros, everyMicros } = time
  return new Windows(zeroMicros + fromMicros, forMicros ?? Infinity, everyMicros ?? Infinity)
}

/** The span that contains `nowMicros`. */
export function spanAt(spans: Spans, nowMicros: Micros): FaultSpan | null {
  const span = spans.last(nowMicros)
  return span !== null && nowMicros < span.untilMicros ? span : null
}

class Windows implements Spans {
  readonly #from: Micros
  readonly #length: Micros
  readonly #every: Micros

  constructor(from: Micros, length: Micros, every: Micros) {
    this.#from = from
    this.#length = length
    this.#every = every
  }

  last(nowMicros: Micros): FaultSpan | null {
    return nowMicros < this.#from ? null : this.#window(this.#countedAt(nowMicros))
  }

  next(nowMicros: Micros): FaultSpan | null {
    if (nowMicros < this.#from) return this.#window(0)
    return this.#every === Infinity ? null : this.#window(this.#countedAt(nowMicros) + 1)
  }

  past(nowMicros: Micros): FaultSpan[] {
    if (nowMicros < this.#from) return []
    const last = this.#countedAt(nowMicros)
    const first = Math.max(0, last + 1 - SPANS_SHOWN)
    return Array.from({ length: last + 1 - first }, (_, i) => this.#window(first + i))
  }

  /**
   * The number of the window that began last. A rounded quotient may be off by one, so compare with
   * the beginnings of windows.
   */
  #countedAt(nowMicros: Micros): number {
    if (this.#every === Infinity) return 0
    const number = Math.round((nowMicros - this.#from) / this.#every)
    return this.#window(number).fromMicros > nowMicros ? number - 1 : number
  }

  #window(number: number): FaultSpan {
    const fromMicros = this.#from + (number === 0 ? 0 : number * this.#every)
    return { fromMicros, untilMicros: fromMicros + this.#length }
  }
}

/**
 * Drawn one after another as time passes: the length of the n-th does not depend on what happens
 * between.
 */
class Episodes implements Spans {
  readonly #time: Extract<FaultTime, { kind: 'episodes' }>
  readonly #random: Random
  #last: FaultSpan | null = null
  #next: FaultSpan
  /**
   * The spans that began, oldest first: at most twice the number that is reported, then the older
   * half is dropped.
   */
  #past: FaultSpan[] = []
  #drawn = 0

  constructor(time: Extract<FaultTime, { kind: 'episodes' }>, zeroMicros: Micros, random: Random) {
    this.#time = time
    this.#random = random
    this.#next = this.#drawAfter(zeroMicros)
  }

  last(nowMicros: Micros): FaultSpan | null {
    while (this.#next.fromMicros <= nowMicros) {
      this.#last = this.#next
      this.#past.push(this.#next)
      if (this.#past.length === 2 * SPANS_SHOWN) this.#past = this.#past.slice(SPANS_SHOWN)
      this.#next = this.#drawAfter(this.#next.untilMicros)
    }
    return this.#last
  }

  next(nowMicros: Micros): FaultSpan {
    this.last(nowMicros)
    return this.#next
  }

  past(nowMicros: Micros): FaultSpan[] {
    this.last(nowMicros)
    return this.#past.slice(-SPANS_SHOWN)
  }

  /** No length is zero: time must advance. */
  #drawAfter(micros: Micros): FaultSpan {
    const random = this.#random.fork('episode', this.#drawn++)
    const length = (kind: 'off' | 'on'): Micros =>
      Math.max(NEVER_LESS_MICROS, draw(this.#time[kind], random.fork(kind)))
    const fromMicros = micros + length('off')
    return { fromMicros, untilMicros: fromMicros + length('on') }
  }
}
