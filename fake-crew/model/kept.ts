/** A list that keeps its latest items, and counts those that it has let go. */
export class Kept<Item> {
  readonly #limit: number
  readonly #gone: (item: Item) => void
  /** As many as are kept, and up to as many again before the older half goes. */
  #items: Item[] = []
  #dropped = 0

  /** `gone` is told each item that is let go. */
  constructor(limit: number, gone: (item: Item) => void = () => {}) {
    this.#limit = limit
    this.#gone = gone
  }

  /** Items that were let go. */
  get dropped(): number {
    return this.#dropped
  }

  add(item: Item): void {
    this.#items.push(item)
    if (this.#items.length < 2 * this.#limit) return
    for (let i = 0; i < this.#limit; i++) this.#gone(this.#items[i]!)
    this.#items = this.#items.slice(this.#limit)
    this.#dropped += this.#limit
  }

  /** In order; at least the last `limit`. Nothing is added to what it gives. */
  all(): readonly Item[] {
    return this.#items.slice()
  }
}
