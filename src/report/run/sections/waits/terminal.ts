/**
 * The table of waits at the end of a run: as many columns as the width allows, the rest as notes
 * below.
 */
import type { Metric, ResultDocument } from '../../../../result/document.ts'
import { formatMs, isTooFew } from '../../../frame/format.ts'
import { cellText, intervalOf, STATISTICS, waitRows } from './rows.ts'
import type { WaitsStatistic, WaitRow } from './rows.ts'
import { columns } from '../../../frame/columns.ts'
import { wrap } from '../../../../base/text.ts'
import type { Paint } from '../../../frame/columns.ts'

export function waitLines(document: ResultDocument, paint: Paint, width: number): string[] {
  const rows = waitRows(document)
  const narrow = [...intervalNotes(rows), ...sourceNotes(rows)]
  const layouts = [
    { table: waitTable(rows, { intervals: true, sources: true }), notes: [] },
    { table: waitTable(rows, { intervals: true }), notes: sourceNotes(rows) },
    { table: waitTable(rows, {}), notes: narrow },
    { table: waitTable(rows, { statistics: FEWER }), notes: narrow },
  ] as const
  const fitting = layouts.find(({ table }) => table.every((line) => line.length <= width))
  const { table, notes } = fitting ?? layouts[3]
  const [head = '', ...body] = table
  const below = [...valueNotes(document), ...missingNotes(rows), ...partsNote(rows), ...notes]
  const told = below.flatMap((note) => wrap(note, width, '    ', '      '))
  return [paint(head, 'bold'), ...body, ...told.map((line) => paint(line, 'dim'))]
}

/** The columns for a terminal that is too narrow for all. */
const FEWER: readonly WaitsStatistic[] = ['p50', 'p95', 'max']

interface Layout {
  intervals?: boolean
  sources?: boolean
  statistics?: readonly WaitsStatistic[]
}

function waitTable(
  rows: readonly WaitRow[],
  { intervals = false, sources = false, statistics = STATISTICS }: Layout,
): string[] {
  const known = intervals && rows.some((row) => intervalOf(row, 'p95') !== null)
  const head = ['  What users wait for', ...statistics, known ? '95 % CI of p95' : '', '']
  const body = rows.map((row) => [
    `  ${row.part ? '  ' : ''}${row.label}`,
    ...statistics.map((name) => shortCell(row.cells[name])),
    known ? (intervalOf(row, 'p95') ?? '') : '',
    sources && row.note !== null ? `(${row.note})` : '',
  ])
  const numbers = statistics.map(() => 'unit' as const)
  return columns([head, ...body], ['left', ...numbers, 'unit', 'left'])
}

function shortCell(metric: Metric | null): string {
  return metric !== null && isTooFew(metric) ? 'too few' : cellText(metric)
}

/**
 * `end to end, each: 1.20 s, 1.31 s, 2.05 s`, when the values are so few that quantiles say less.
 */
function valueNotes({ distributions }: ResultDocument): string[] {
  const values = distributions['execution']?.values ?? []
  if (values.length === 0) return []
  return [`end to end, each: ${values.map((value) => formatMs(value)).join(', ')}`]
}

/**
 * `end to end, ...: too few for p95, p99 (12 of 59, 299 needed)`: one note for all rows that lack
 * the same number of samples.
 */
function missingNotes(rows: readonly WaitRow[]): string[] {
  return grouped(rows, ({ cells }) => {
    const missing = STATISTICS.flatMap((name) => {
      const metric = cells[name]
      return metric !== null && isTooFew(metric) ? [{ name, ...metric }] : []
    })
    const [first] = missing
    if (first === undefined) return null
    const names = missing.map(({ name }) => name).join(', ')
    const needed = missing.map((metric) => metric.needed).join(', ')
    return `too few for ${names} (${first.n} of ${needed} needed)`
  })
}

/** Without this note, a reader might add up the rows and find the sum wrong. */
function partsNote(rows: readonly WaitRow[]): string[] {
  return rows.some(({ part }) => part)
    ? ['each row has its own quantiles, so the parts do not add up to end to end']
    : []
}

function sourceNotes(rows: readonly WaitRow[]): string[] {
  return grouped(rows, ({ note }) => note)
}

function intervalNotes(rows: readonly WaitRow[]): string[] {
  const known = rows.flatMap((row) => {
    const interval = intervalOf(row, 'p95')
    return interval === null ? [] : [`${row.label} ${interval}`]
  })
  return known.length === 0 ? [] : [`95 % interval of p95: ${known.join(', ')}`]
}

/** Groups the rows by their note: `waiting for a worker, detection delay: from the ledger`. */
function grouped(rows: readonly WaitRow[], noteOf: (row: WaitRow) => string | null): string[] {
  const labels = new Map<string, string[]>()
  for (const row of rows) {
    const note = noteOf(row)
    if (note !== null) labels.set(note, [...(labels.get(note) ?? []), row.label])
  }
  return [...labels].map(([note, names]) =>
    names.length === rows.length ? `all: ${note}` : `${names.join(', ')}: ${note}`,
  )
}
