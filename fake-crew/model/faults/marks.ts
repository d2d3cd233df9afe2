/** Records which fault changed which answer: the latest marks in order, searchable by execution. */
import type { FaultMark } from '../../../src/crew/ledger.ts'
import { LatestItems } from '../records/latest-items.ts'

const MARKS_KEPT = 100_000

interface Entry {
  mark: FaultMark
  ordinal: number | undefined
}

export class FaultMarks {
  readonly #entries = new LatestItems<Entry>(MARKS_KEPT, (entry) => this.#forget(entry))
  readonly #byOrdinal = new Map<number, FaultMark[]>()

  add(mark: FaultMark, ordinal: number | undefined): void {
    this.#entries.add({ mark, ordinal })
    if (ordinal === undefined) return
    const others = this.#byOrdinal.get(ordinal)
    if (others === undefined) this.#byOrdinal.set(ordinal, [mark])
    else others.push(mark)
  }

  of(ordinal: number): readonly FaultMark[] | undefined {
    return this.#byOrdinal.get(ordinal)
  }

  all(): readonly FaultMark[] {
    return this.#entries.all().map(({ mark }) => mark)
  }

  /** Marks that are no longer kept. */
  get dropped(): number {
    return this.#entries.dropped
  }

  #forget({ ordinal }: Entry): void {
    if (ordinal === undefined) return
    const left = this.#byOrdinal.get(ordinal)?.slice(1) ?? []
    if (left.length === 0) this.#byOrdinal.delete(ordinal)
    else this.#byOrdinal.set(ordinal, left)
  }
}
