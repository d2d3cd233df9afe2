/** Numbers by a hash, in two columns: a map of as many takes three times the memory. */

const LEAST_PLACES = 1_024
/** The low bits of a hash choose its place: those are even when only low hashes are kept. */
const PLACE_BITS = 21

/** The hashes are whole numbers of 0 to 2^53 - 1, of which the lowest 21 bits are evenly spread. */
export class HashedNumbers {
  size = 0
  /** One more than the hash; 0 for none. A power of two of places, at most half of them taken. */
  #keys = new Float64Array(LEAST_PLACES)
  #values = new Float64Array(LEAST_PLACES)

  /** The number of this hash; without one, it gets `value`, and the answer is undefined. */
  getOrSet(hash: number, value: number): number | undefined {
    const place = this.#placeOf(hash)
    if (this.#keys[place] !== 0) return this.#values[place]
    this.#keys[place] = hash + 1
    this.#values[place] = value
    this.size++
    if (this.size * 2 > this.#keys.length) this.#rebuild(this.#keys.length * 2, Infinity)
    return undefined
  }

  /** Drops the hashes from `limit` on. */
  keepBelow(limit: number): void {
    this.#rebuild(this.#keys.length, limit)
  }

  /** Where the hash is, or where it belongs. */
  #placeOf(hash: number): number {
    const keys = this.#keys
    const mask = keys.length - 1
    let place = (hash % 2 ** PLACE_BITS) & mask
    while (keys[place] !== 0 && keys[place] !== hash + 1) place = (place + 1) & mask
    return place
  }

  #rebuild(places: number, limit: number): void {
    const keys = this.#keys
    const values = this.#values
    this.#keys = new Float64Array(places)
    this.#values = new Float64Array(places)
    this.size = 0
    for (let place = 0; place < keys.length; place++) {
      const hash = keys[place]! - 1
      if (hash < 0 || hash >= limit) continue
      const to = this.#placeOf(hash)
      this.#keys[to] = hash + 1
      this.#values[to] = values[place]!
      this.size++
    }
  }
}
