/** First in, first out, with memory proportional to its content. */

/** Consumed places that are freed together. */
const GIVEN_BACK_AT_ONCE = 1_024

export class WaitingQueue<Item> {
  #items: Item[] = []
  #first = 0

  /** Undefined if it is empty. */
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
