/** The note for a report when a fake crew kept only the latest marks of its faults. */
import type { ClockMapping } from '../../result/validity/clock.ts'
import { toRunClock } from '../../result/validity/clock.ts'
import type { FindingLine } from '../../execution/record/journal-lines.ts'
import type { Micros } from '../../base/units.ts'

/** The marks of its faults that a crew still has. */
export interface MarksKept {
  /** The number of marks that it no longer has: the oldest ones, of all runs that it served. */
  droppedMarks: number
  /** The time of the oldest mark that it has, on the ledger's clock; null without any. */
  oldestMarkMs: number | null
}

/**
 * A note for the journal; null when no mark of this run is missing, for example when the oldest
 * kept mark precedes the run.
 */
export function missingMarks(
  { droppedMarks, oldestMarkMs }: MarksKept,
  clock: ClockMapping,
  nowMicros: Micros,
): FindingLine | null {
  if (droppedMarks === 0 || oldestMarkMs === null) return null
  const sinceMicros = toRunClock(oldestMarkMs, clock)
  if (sinceMicros < 0) return null
  return {
    type: 'finding',
    instance: 0,
    atMicros: nowMicros,
    index: null,
    finding: {
      kind: 'note',
      note: { code: 'marks-missing', marks: droppedMarks, untilMicros: sinceMicros },
    },
  }
}
