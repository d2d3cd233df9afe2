/** First in, first out, in memory that follows what is in it. */

/** Places behind the first that are given back together. */
const GIVEN_BACK_AT_ONCE = 1_024

export class Queue<Item> {
  #items: Item[] = []
  #first = 0

  /** Undefined when it is empty. */
  get first(): Item | undefined {
    return this.#items[this.#first]
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): void {
    this.#first++
    if (this.#first < GIVEN_BACK_AT_ONCE || this.#first * 2 < this.#items.length) return
    this.#items = this.#items.slice(this.#first)
    this.#first = 0
  }
}
