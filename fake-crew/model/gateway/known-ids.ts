/**
 * Executions of a target, as its answers to kickoffs name them: numbered in order of arrival; the
 * latest are remembered.
 */

/** The number of ids kept. Older ids are treated as if they had never been seen. */
const IDS_KEPT = 100_000

export class KnownIds {
  readonly #ordinals = new Map<string, number>()
  readonly #ids = new Map<number, string>()
  readonly #forgotten: (ordinal: number) => void
  #count = 0

  /** `forgotten` is called with each number whose id is dropped. */
  constructor(forgotten: (ordinal: number) => void) {
    this.#forgotten = forgotten
  }

  /** Adds an id, and returns its number, counted from 0. */
  add(id: string): number {
    const known = this.#ordinals.get(id)
    if (known !== undefined) return known
    const ordinal = this.#count++
    this.#ordinals.set(id, ordinal)
    this.#ids.set(ordinal, id)
    this.#forget(ordinal - IDS_KEPT)
    return ordinal
  }

  ordinalOf(id: string): number | undefined {
    return this.#ordinals.get(id)
  }

  idOf(ordinal: number): string | undefined {
    return this.#ids.get(ordinal)
  }

  #forget(ordinal: number): void {
    const id = this.#ids.get(ordinal)
    if (id === undefined) return
    this.#ids.delete(ordinal)
    this.#ordinals.delete(id)
    this.#forgotten(ordinal)
  }
}
