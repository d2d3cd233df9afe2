/** Which fault touched which answer: kept in order, up to a limit, and found again by execution. */
import type { FaultMark } from '../../../src/crew/ledger.ts'
import { Kept } from '../kept.ts'

const MARKS_KEPT = 100_000

export class FaultMarks {
  readonly #marks = new Kept<FaultMark>(MARKS_KEPT)
  readonly #byOrdinal = new Map<number, FaultMark[]>()

  add(mark: FaultMark, ordinal: number | undefined): void {
    if (!this.#marks.add(mark) || ordinal === undefined) return
    const others = this.#byOrdinal.get(ordinal)
    if (others === undefined) this.#byOrdinal.set(ordinal, [mark])
    else others.push(mark)
  }

  of(ordinal: number): readonly FaultMark[] | undefined {
    return this.#byOrdinal.get(ordinal)
  }

  all(): readonly FaultMark[] {
    return this.#marks.all()
  }
}
