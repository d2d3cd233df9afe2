/** Counts by whole number, dense: a hundred million values fall into a few hundred keys. */

const NO_COUNTS = new Float64Array(0)
/** The least room for further keys that is added at once. */
const LEAST_ROOM = 16

/** Eight bytes for each key between the least and the greatest, and for some room beside them. */
export class KeyCounts {
  #counts = NO_COUNTS
  /** The key of the first count. */
  #first = 0

  add(key: number, count: number): void {
    if (key < this.#first || key >= this.#first + this.#counts.length) this.#reach(key)
    const place = key - this.#first
    this.#counts[place] = this.#counts[place]! + count
  }

  /** The counts above 0, in rising order of their keys. */
  each(tell: (key: number, count: number) => void): void {
    for (let place = 0; place < this.#counts.length; place++) {
      const count = this.#counts[place]!
      if (count > 0) tell(this.#first + place, count)
    }
  }

  clear(): void {
    this.#counts = NO_COUNTS
  }

  #reach(key: number): void {
    const before = this.#counts
    const end = this.#first + before.length
    const room = Math.max(LEAST_ROOM, Math.floor(before.length / 2))
    if (before.length === 0) {
      this.#first = key
      this.#counts = new Float64Array(room)
    } else if (key < this.#first) {
      const first = Math.max(0, Math.min(key, this.#first - room))
      this.#counts = new Float64Array(end - first)
      this.#counts.set(before, this.#first - first)
      this.#first = first
    } else {
      this.#counts = new Float64Array(Math.max(key + 1, end + room) - this.#first)
      this.#counts.set(before)
    }
  }
}
