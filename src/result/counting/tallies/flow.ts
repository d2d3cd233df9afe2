/** Acceptances and ends over time: how many fall into a span, how many were in flight at once. */
import type { Micros } from '../../../base/units.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'

export interface Span {
  fromMicros: Micros
  toMicros: Micros
}

/** Events between the end of the warm-up and the end of the arrivals, or their cut. */
export interface Throughput {
  accepted: number
  completed: number
  spanMicros: Micros
}

/** The most executions in flight at once: at least `least`, and never more than `most`. */
export interface Peak {
  least: number
  most: number
}

interface SecondOfFlow {
  accepted: number
  completed: number
  /** Ends of accepted executions, which leave the number in flight. */
  landed: number
}

/**
 * Counts events by the time when they happened, including those of warm-up arrivals. A cell is a
 * microsecond wide at first; its width doubles, pair by pair from zero on, whenever more than
 * `mostCells` hold an event. Until then all is exact. The result depends only on what was counted,
 * never on the order.
 */
export class FlowTally {
  readonly #mostCells: number
  #cellMicros = 1
  #cells = new Map<number, SecondOfFlow>()

  constructor(mostCells: number) {
    this.#mostCells = mostCells
  }

  record({ outcome, acceptedMicros, endedMicros }: ExecutionRecord): void {
    if (acceptedMicros !== null) this.#at(acceptedMicros).accepted++
    if (acceptedMicros !== null) this.#at(endedMicros).landed++
    if (outcome === 'completed') this.#at(endedMicros).completed++
    while (this.#cells.size > this.#mostCells) this.#double()
  }

  /** A cell that an end of the span cuts counts in proportion to the part inside. */
  within(span: Span | null): Throughput | null {
    if (span === null) return null
    const { fromMicros, toMicros } = span
    const flow = { accepted: 0, completed: 0, spanMicros: toMicros - fromMicros }
    for (const [cell, { accepted, completed }] of this.#cells) {
      const begin = cell * this.#cellMicros
      const inside = Math.min(begin + this.#cellMicros, toMicros) - Math.max(begin, fromMicros)
      if (inside <= 0) continue
      flow.accepted += (accepted * inside) / this.#cellMicros
      flow.completed += (completed * inside) / this.#cellMicros
    }
    return flow
  }

  /** `stillOpen`: the acceptances of executions whose end no line reports. */
  peak(stillOpen: readonly Micros[]): Peak {
    const open = new Map<number, number>()
    for (const atMicros of stillOpen) {
      const cell = this.#cellOf(atMicros)
      open.set(cell, (open.get(cell) ?? 0) + 1)
    }
    const peak = { least: 0, most: 0 }
    let level = 0
    for (const cell of [...new Set([...this.#cells.keys(), ...open.keys()])].sort(
      (a, b) => a - b,
    )) {
      const { accepted = 0, landed = 0 } = this.#cells.get(cell) ?? {}
      const most = level + accepted + (open.get(cell) ?? 0)
      level = most - landed
      peak.least = Math.max(peak.least, level)
      // An end frees its place before an acceptance in the same microsecond takes one.
      peak.most = Math.max(peak.most, this.#cellMicros === 1 ? level : most)
    }
    return peak
  }

  #cellOf(atMicros: Micros): number {
    return Math.floor(atMicros / this.#cellMicros)
  }

  #at(atMicros: Micros): SecondOfFlow {
    const key = this.#cellOf(atMicros)
    const known = this.#cells.get(key)
    if (known !== undefined) return known
    const cell = { accepted: 0, completed: 0, landed: 0 }
    this.#cells.set(key, cell)
    return cell
  }

  #double(): void {
    const fine = this.#cells
    this.#cells = new Map()
    for (const [key, cell] of fine) {
      const wide = this.#at(Math.floor(key / 2) * this.#cellMicros)
      wide.accepted += cell.accepted
      wide.completed += cell.completed
      wide.landed += cell.landed
    }
    this.#cellMicros *= 2
  }
}
