/** The requests that a crew had, and the ends of its executions, as lines in the order of time. */
import { formatCount } from '../../src/base/numbers.ts'
import type { LedgerRow, LedgerRequest } from '../../src/crew/ledger.ts'
import type { AskedCrew } from './asked.ts'
import { inOrder } from './asked.ts'
import { short } from './rules.ts'

interface TimelineLine {
  atMs: number
  words: string
  isMarked: boolean
}

/** Lines before and after a marked one, and at both ends, that are shown. */
const CONTEXT = 3
/** Marked lines that are shown. */
const MOST_MARKED = 8
const MS_PER_SECOND = 1_000

/** `marked`: the requests to point at. */
export function timelineOf(crew: AskedCrew, marked: readonly LedgerRequest[]): string {
  const shownMarks = new Set(marked.slice(0, MOST_MARKED).map(keyOf))
  const lines = [
    ...inOrder(crew).map((row) => ({
      atMs: row.at_ms,
      words: requestWords(row),
      isMarked: shownMarks.has(keyOf(row)),
    })),
    ...crew.ledger().flatMap(endLines),
  ].toSorted((a, b) => a.atMs - b.atMs)
  if (lines.length === 0) return '  The crew had no request.'
  const places = lines.flatMap(({ isMarked }, i) => (isMarked ? [i] : []))
  const isShown = (i: number): boolean =>
    i < CONTEXT ||
    i >= lines.length - CONTEXT ||
    places.some((place) => Math.abs(place - i) <= CONTEXT)
  return abridged(lines, isShown).join('\n')
}

function abridged(lines: readonly TimelineLine[], isShown: (i: number) => boolean): string[] {
  const shown: string[] = []
  let left = 0
  for (const [i, line] of lines.entries()) {
    if (!isShown(i)) {
      left++
      continue
    }
    if (left > 0) shown.push(`             … ${formatCount(left)} more`)
    left = 0
    const seconds = (line.atMs / MS_PER_SECOND).toFixed(3).padStart(9)
    shown.push(`${line.isMarked ? '>' : ' '} ${seconds} s  ${line.words}`)
  }
  return shown
}

/** `crew.requests()` makes its rows anew each time. */
function keyOf({ at_ms: atMs, path, method }: LedgerRequest): string {
  return `${atMs} ${method} ${path}`
}

function requestWords(row: LedgerRequest): string {
  const { operation, method, path, kickoff_id: id } = row
  const asked = operation === 'status' ? path.replace(id ?? '', short(id ?? '')) : path
  return `${method} ${asked} -> ${answerWords(row)}`
}

function answerWords(row: LedgerRequest): string {
  const { operation, status, told, kickoff_id: id } = row
  const notes = [
    row.retry_after === null ? '' : `Retry-After ${row.retry_after}`,
    operation === 'kickoff' && id !== null ? `starts ${short(id)}` : '',
    row.refused_by === null ? '' : `refused by ${row.refused_by}`,
    row.faults.length === 0 ? '' : `fault ${row.faults.join(', ')}`,
  ].filter((note) => note !== '')
  const answer = status === null ? 'no answer' : [status, told ?? ''].join(' ').trim()
  return [answer, ...notes].join(', ')
}

function endLines({ kickoff_id: id, ended_ms: atMs, outcome }: LedgerRow): TimelineLine[] {
  if (atMs === null) return []
  return [{ atMs, words: `${short(id)} ends: ${outcome}`, isMarked: false }]
}
