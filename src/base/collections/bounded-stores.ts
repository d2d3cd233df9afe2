/** Bounded stores whose content depends on what was offered, never on the order. */
import { hashText } from '../random.ts'

/** Keeps the `limit` items that `compare` puts first. `compare` must distinguish any two items. */
export class FirstOnes<T> {
  readonly #limit: number
  readonly #compare: (a: T, b: T) => number
  readonly #items: T[] = []

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit
    this.#compare = compare
  }

  /** The kept items in the order of `compare`. */
  get items(): readonly T[] {
    return this.#items
  }

  /** Whether `item` would be kept: ask before building something costly. */
  wants(item: T): boolean {
    const last = this.#items.at(-1)
    return this.#items.length < this.#limit || (last !== undefined && this.#compare(item, last) < 0)
  }

  offer(item: T): void {
    if (!this.wants(item)) return
    this.#items.splice(this.#place(item), 0, item)
    if (this.#items.length > this.#limit) this.#items.pop()
  }

  #place(item: T): number {
    let low = 0
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(this.#items[middle]!, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * Values by text, for at most `limit` different texts: those with the smallest hashes. A text that
 * is kept at the end was kept from its first occurrence on, so its value covers all occurrences.
 */
export class BoundedByText<V> {
  readonly #limit: number
  readonly #values = new Map<string, V>()
  readonly #order: FirstOnes<{ hash: number; text: string }>

  constructor(limit: number) {
    this.#limit = limit
    this.#order = new FirstOnes(limit, (a, b) => a.hash - b.hash || (a.text < b.text ? -1 : 1))
  }

  get values(): ReadonlyMap<string, V> {
    return this.#values
  }

  /**
   * The value of `text`, made by `create` at its first occurrence; undefined when there is no room
   * for it.
   */
  at(text: string, create: () => V): V | undefined {
    const known = this.#values.get(text)
    if (known !== undefined) return known
    const item = { hash: hashText(text), text }
    if (!this.#order.wants(item)) return undefined
    if (this.#values.size >= this.#limit) this.#values.delete(this.#order.items.at(-1)?.text ?? '')
    this.#order.offer(item)
    const value = create()
    this.#values.set(text, value)
    return value
  }
}
