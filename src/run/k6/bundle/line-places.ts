/**
 * Translates the places that a record names in the script that k6 ran to the author's own files.
 */
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import type { K6Words } from '../words.ts'

/**
 * Adds places in the source. Only exceptions of the author's functions have one: in the reason of
 * an arrival without inputs, and in the results of checks.
 */
export function withPlaces(line: JournalLine, words: Pick<K6Words, 'placed'>): JournalLine {
  if (line.type !== 'ended') return line
  const { record } = line
  const { outcome, reason, checks } = record
  const isTold = Object.values(checks).some((result) => typeof result === 'string')
  if (!isTold && (outcome !== 'dropped' || reason === null)) return line
  const placed = Object.entries(checks).map(([name, result]) => [
    name,
    typeof result === 'string' ? words.placed(result) : result,
  ])
  return {
    ...line,
    record: {
      ...record,
      reason: outcome === 'dropped' && reason !== null ? words.placed(reason) : reason,
      checks: Object.fromEntries(placed) as typeof checks,
    },
  }
}
