/** A binary min-heap of numbered entries by due time: the engine's one timer queue. */

/** Entries with equal due times leave in the order of their `order`, which is the order of insertion. */
export class DueHeap<T> {
  readonly #entries: { due: number; order: number; value: T }[] = []
  #inserted = 0

  get size(): number {
    return this.#entries.length
  }

  /** The earliest due time, or Infinity when empty. */
  get nextDue(): number {
    return this.#entries[0]?.due ?? Infinity
  }

  push(due: number, value: T): void {
    const entries = this.#entries
    const entry = { due, order: this.#inserted++, value }
    let hole = entries.length
    entries.push(entry)
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (!before(entry, entries[parent]!)) break
      entries[hole] = entries[parent]!
      hole = parent
    }
    entries[hole] = entry
  }

  pop(): T | undefined {
    const entries = this.#entries
    const top = entries[0]
    const last = entries.pop()
    if (top === undefined || last === undefined) return undefined
    if (entries.length > 0) this.#sink(last)
    return top.value
  }

  #sink(entry: { due: number; order: number; value: T }): void {
    const entries = this.#entries
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= entries.length) break
      if (child + 1 < entries.length && before(entries[child + 1]!, entries[child]!)) child++
      if (!before(entries[child]!, entry)) break
      entries[hole] = entries[child]!
      hole = child
    }
    entries[hole] = entry
  }
}

function before(a: { due: number; order: number }, b: { due: number; order: number }): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}
