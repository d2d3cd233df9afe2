/** The table of waits in the end print: as much beside the numbers as the width allows, the rest in notes below. */
import type { Metric, ResultDocument } from '../../analysis/document.ts'
import { formatMs, isTooFew } from '../format.ts'
import { cellText, intervalOf, STATISTICS, waitRows } from '../summary.ts'
import type { WaitRow } from '../summary.ts'
import { columns, wrap } from './columns.ts'
import type { Paint } from './paint.ts'

export function renderWaitTable(document: ResultDocument, paint: Paint, width: number): string[] {
  const rows = waitRows(document)
  const layouts = [
    { table: waitTable(rows, true, true), notes: [] },
    { table: waitTable(rows, true, false), notes: sourceNotes(rows) },
    { table: waitTable(rows, false, false), notes: [...intervalNotes(rows), ...sourceNotes(rows)] },
  ] as const
  const fitting = layouts.find(({ table }) => table.every((line) => line.length <= width))
  const { table, notes } = fitting ?? layouts[2]
  const [head = '', ...body] = table
  const below = [...valueNotes(document), ...missingNotes(rows), ...notes].flatMap((note) =>
    wrap(note, width, '    ', '      '),
  )
  return [paint(head, 'bold'), ...body, ...below.map((line) => paint(line, 'dim'))]
}

function waitTable(rows: readonly WaitRow[], intervals: boolean, sources: boolean): string[] {
  const known = intervals && rows.some((row) => intervalOf(row, 'p95') !== null)
  const head = ['  What users wait for', ...STATISTICS, known ? '95 % CI of p95' : '', '']
  const body = rows.map((row) => [
    `  ${row.part ? '  ' : ''}${row.label}`,
    ...STATISTICS.map((name) => shortCell(row.cells[name])),
    known ? (intervalOf(row, 'p95') ?? '') : '',
    sources && row.note !== null ? `(${row.note})` : '',
  ])
  return columns([head, ...body], ['left', 'unit', 'unit', 'unit', 'unit', 'unit', 'left'])
}

function shortCell(metric: Metric | null): string {
  return metric !== null && isTooFew(metric) ? 'too few' : cellText(metric)
}

/** `end to end, each: 1.20 s, 1.31 s, 2.05 s`, where there are so few that quantiles say less. */
function valueNotes({ distributions }: ResultDocument): string[] {
  const values = distributions['execution']?.values ?? []
  if (values.length === 0) return []
  return [`end to end, each: ${values.map((value) => formatMs(value)).join(', ')}`]
}

/** `end to end, ...: too few for p95, p99 (12 of 59, 299 needed)`: one note for all rows that lack the same number of samples. */
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

/** The rows of each note: `waiting for a worker, detection delay: from the ledger`. */
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
