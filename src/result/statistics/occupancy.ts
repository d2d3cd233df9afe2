/** Computes how many spans of time cover a moment. */

/**
 * Spans are half open, `[from, to)`: one that ends at a moment makes room for one that begins then.
 * Times may have any unit. A lookup takes O(log n).
 */
export class Occupancy {
  readonly #times: Float64Array
  /** The number present from each of the times to the next. */
  readonly #counts: Int32Array
  /** The most spans that cover one moment. */
  readonly most: number

  constructor(spans: readonly (readonly [from: number, to: number])[]) {
    const begins = Float64Array.from(spans, ([from]) => from).sort()
    const ends = Float64Array.from(spans, ([, to]) => to).sort()
    this.#times = new Float64Array(2 * spans.length)
    this.#counts = new Int32Array(2 * spans.length)
    let [begun, ended, most] = [0, 0, 0]
    for (let i = 0; i < this.#times.length; i++) {
      // What ends makes room before the next one begins.
      const isEnd = begun === begins.length || ends[ended]! <= begins[begun]!
      this.#times[i] = isEnd ? ends[ended++]! : begins[begun++]!
      this.#counts[i] = begun - ended
      most = Math.max(most, begun - ended)
    }
    this.most = most
  }

  /** The number of spans that cover the moment. */
  at(time: number): number {
    return this.#after(this.#placeAfter(time))
  }

  /** The most spans that cover a moment of `[from, to]`. */
  mostIn(from: number, to: number): number {
    const first = this.#placeAfter(from)
    let most = this.#after(first)
    for (let place = first; this.#times[place]! <= to; place++) {
      most = Math.max(most, this.#counts[place]!)
    }
    return most
  }

  /** The pieces of `[from, to]`, in order, each with the number of spans that cover it. */
  pieces(from: number, to: number): { length: number; count: number }[] {
    const pieces: { length: number; count: number }[] = []
    let at = from
    for (let place = this.#placeAfter(from); at < to; place++) {
      const until = Math.min(to, this.#times[place] ?? to)
      pieces.push({ length: until - at, count: this.#after(place) })
      at = until
    }
    return pieces
  }

  /** The place of the first of the times that is later. */
  #placeAfter(time: number): number {
    let [low, high] = [0, this.#times.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#times[middle]! <= time) low = middle + 1
      else high = middle
    }
    return low
  }

  #after(place: number): number {
    return place === 0 ? 0 : this.#counts[place - 1]!
  }
}
