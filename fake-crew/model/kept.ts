/** A list that grows up to a limit, and lets go what comes then. */
export class Kept<Item> {
  readonly #limit: number
  readonly #items: Item[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether it is kept. */
  add(item: Item): boolean {
    if (this.#items.length >= this.#limit) return false
    this.#items.push(item)
    return true
  }

  all(): readonly Item[] {
    return this.#items
  }
}
