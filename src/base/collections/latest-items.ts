/** A list that keeps its latest items and counts those that it has dropped. */
export class LatestItems<Item> {
  readonly #limit: number
  readonly #gone: (item: Item) => void
  /** Keeps at least this many, and up to as many again before the older half is dropped. */
  #items: Item[] = []
  #dropped = 0

  /** `gone` is called with each dropped item. */
  constructor(limit: number, gone: (item: Item) => void = () => {}) {
    this.#limit = limit
    this.#gone = gone
  }

  /** Number of items dropped. */
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

  /** The items in order; at least the last `limit`. The caller must not modify the result. */
  all(): readonly Item[] {
    return this.#items.slice()
  }
}
