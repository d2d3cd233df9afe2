/** What a report has to say where a fake crew kept only the latest marks of its faults. */
import type { ClockMapping } from '../../analysis/validity/clock.ts'
import { toRunClock } from '../../analysis/validity/clock.ts'
import { MARKS_MISSING } from '../../analysis/verdict/findings.ts'
import { formatCount } from '../../analysis/metrics/format-metric.ts'
import type { FindingLine } from '../../execution/record/journal-lines.ts'
import { formatDuration } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'

/** What a crew still has of the marks of its faults. */
export interface MarksKept {
  /** Marks that it no longer has: the oldest, of all runs that it served. */
  droppedMarks: number
  /** Of the oldest mark that it has, on the ledger's clock; null without any. */
  oldestMarkMs: number | null
}

/**
 * A note for the journal; null when all marks of this run are there, as where the oldest one kept
 * came before the run.
 */
export function missingMarks(
  { droppedMarks, oldestMarkMs }: MarksKept,
  clock: ClockMapping,
  nowMicros: Micros,
): FindingLine | null {
  if (droppedMarks === 0 || oldestMarkMs === null) return null
  const sinceMicros = toRunClock(oldestMarkMs, clock)
  if (sinceMicros < 0) return null
  const message =
    `${MARKS_MISSING} its oldest ${formatCount(droppedMarks)} marks: what its faults touched in the ` +
    `first ${formatDuration(sinceMicros)} of the run is missing from the counts of touched answers`
  return {
    type: 'finding',
    instance: 0,
    atMicros: nowMicros,
    index: null,
    finding: { kind: 'note', message },
  }
}
