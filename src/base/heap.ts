/** A binary min-heap of numbered entries by due time: the engine's one timer queue. */

/**
 * Entries with equal due times leave in the order of their insertion. An entry is a row of three
 * arrays, not an object: thousands wait at once, and in k6's engine an object costs ten times a
 * row.
 */
export class DueHeap<T> {
  readonly #dues: number[] = []
  readonly #orders: number[] = []
  readonly #values: T[] = []
  #inserted = 0

  get size(): number {
    return this.#dues.length
  }

  /** The earliest due time, or Infinity when empty. */
  get nextDue(): number {
    return this.#dues[0] ?? Infinity
  }

  push(due: number, value: T): void {
    const dues = this.#dues
    const order = this.#inserted++
    let hole = dues.length
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      // It is the newest entry: among equals it comes last.
      if (dues[parent]! <= due) break
      this.#move(parent, hole)
      hole = parent
    }
    this.#put(hole, due, order, value)
  }

  pop(): T | undefined {
    if (this.#dues.length === 0) return undefined
    const top = this.#values[0]
    const due = this.#dues.pop()!
    const order = this.#orders.pop()!
    const value = this.#values.pop()!
    if (this.#dues.length > 0) this.#sink(due, order, value)
    return top
  }

  /** Puts an entry in the first place and moves it down below all entries that are due earlier. */
  #sink(due: number, order: number, value: T): void {
    const size = this.#dues.length
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= size) break
      if (child + 1 < size && this.#isBefore(child + 1, this.#dues[child]!, this.#orders[child]!)) {
        child++
      }
      if (!this.#isBefore(child, due, order)) break
      this.#move(child, hole)
      hole = child
    }
    this.#put(hole, due, order, value)
  }

  #isBefore(at: number, due: number, order: number): boolean {
    const dueThere = this.#dues[at]!
    return dueThere < due || (dueThere === due && this.#orders[at]! < order)
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#dues[from]!, this.#orders[from]!, this.#values[from]!)
  }

  #put(at: number, due: number, order: number, value: T): void {
    this.#dues[at] = due
    this.#orders[at] = order
    this.#values[at] = value
  }
}
