/** Binary min-heaps: of numbered entries by due time, the engine's one timer queue; of numbers. */

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
    this.#dues.push(due)
    this.#orders.push(this.#inserted)
    this.#values.push(value)
    this.#raise(this.#dues.length - 1, due, this.#inserted++, value)
  }

  pop(): T | undefined {
    const top = this.#values[0]
    const due = this.#dues.pop()
    const order = this.#orders.pop()
    const value = this.#values.pop()
    if (due === undefined) return undefined
    if (this.#dues.length > 0) this.#raise(this.#deepHole(), due, order!, value!)
    return top
  }

  /**
   * Fills the first place with the earlier of its children, that one's with the earlier of its own,
   * and so on; returns the place that is left at the bottom. The last entry, which is put there,
   * seldom has to rise again: this takes half as many comparisons as letting it sink from the top
   * (Wegener, "Bottom-up heapsort", 1993).
   */
  #deepHole(): number {
    const dues = this.#dues
    const orders = this.#orders
    const values = this.#values
    const size = dues.length
    let hole = 0
    for (let child = 1; child < size; child = 2 * hole + 1) {
      const right = child + 1
      if (right < size) {
        const dueLeft = dues[child]!
        const dueRight = dues[right]!
        const rightFirst = dueRight === dueLeft && orders[right]! < orders[child]!
        if (dueRight < dueLeft || rightFirst) child = right
      }
      dues[hole] = dues[child]!
      orders[hole] = orders[child]!
      values[hole] = values[child]!
      hole = child
    }
    return hole
  }

  /** Puts an entry where there is a hole, or above it, below all entries that are due earlier. */
  #raise(from: number, due: number, order: number, value: T): void {
    const dues = this.#dues
    const orders = this.#orders
    const values = this.#values
    let hole = from
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const dueThere = dues[parent]!
      if (dueThere < due || (dueThere === due && orders[parent]! < order)) break
      dues[hole] = dueThere
      orders[hole] = orders[parent]!
      values[hole] = values[parent]!
      hole = parent
    }
    dues[hole] = due
    orders[hole] = order
    values[hole] = value
  }
}

/** Replaces the least number of a heap, which has one at least and holds the least first. */
export function replaceLeast(heap: number[] | Float64Array, value: number): void {
  const size = heap.length
  let hole = 0
  for (;;) {
    let child = 2 * hole + 1
    if (child >= size) break
    const right = child + 1
    if (right < size && heap[right]! < heap[child]!) child = right
    const least = heap[child]!
    if (least >= value) break
    heap[hole] = least
    hole = child
  }
  heap[hole] = value
}

/** Adds a number to a heap that holds the least first. */
export function addTo(heap: number[], value: number): void {
  let hole = heap.length
  heap.push(value)
  while (hole > 0) {
    const parent = (hole - 1) >> 1
    if (heap[parent]! <= value) break
    heap[hole] = heap[parent]!
    hole = parent
  }
  heap[hole] = value
}
