/** Which fault touched which answer: kept in order, up to a limit, and found again by execution. */
import type { FaultMark } from '../../../src/crew/ledger.ts'

/** Marks kept; those beyond are counted and no more. */
const MARKS_KEPT = 100_000

export class FaultMarks {
  readonly #marks: FaultMark[] = []
  readonly #byOrdinal = new Map<number, FaultMark[]>()
  #forgotten = 0

  get forgotten(): number {
    return this.#forgotten
  }

  add(mark: FaultMark, ordinal: number | undefined): void {
    if (this.#marks.length >= MARKS_KEPT) {
      this.#forgotten++
      return
    }
    this.#marks.push(mark)
    if (ordinal === undefined) return
    const others = this.#byOrdinal.get(ordinal)
    if (others === undefined) this.#byOrdinal.set(ordinal, [mark])
    else others.push(mark)
  }

  of(ordinal: number): readonly FaultMark[] | undefined {
    return this.#byOrdinal.get(ordinal)
  }

  all(): readonly FaultMark[] {
    return this.#marks
  }
}
