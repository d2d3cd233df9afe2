/** The end print: what a run found, on stdout, verdict first. */
import type { Metric, ResultDocument, ThresholdResult } from '../../analysis/document.ts'
import {
  formatBound,
  formatMeasured,
  formatMissing,
  isTooFew,
  plainText,
  plural,
} from '../format.ts'
import {
  cellText,
  contractSentence,
  extentWords,
  intervalOf,
  otherReasons,
  outcomeSentence,
  pollingSentence,
  reasonText,
  speedNote,
  STATISTICS,
  thresholdSummary,
  validityWords,
  VERDICTS,
  waitRows,
} from '../summary.ts'
import type { WaitRow } from '../summary.ts'
import { columns, wrap } from './columns.ts'
import { createPaint } from './paint.ts'
import type { Ink, Paint } from './paint.ts'

export interface TerminalOptions {
  /** ANSI colours; the caller looks at NO_COLOR and the terminal. */
  color: boolean
  /** Columns of the terminal. */
  width: number
  /** Where `report.html` lies; null where none was written. */
  reportPath: string | null
}

/** Ends with a newline. Foreign text is shown without control characters. */
export function renderTerminal(document: ResultDocument, options: TerminalOptions): string {
  const paint = createPaint(options.color)
  const { width } = options
  const sections = [
    headline(document, paint, width),
    reasons(document, paint, width),
    waits(document, paint, width),
    facts(document, width),
    thresholds(document.thresholds, paint, width),
    findings(document, paint, width),
    footer(options.reportPath, paint),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const VERDICT_INKS = {
  passed: 'green',
  failed: 'red',
  invalid: 'red',
  inconclusive: 'yellow',
} as const

function headline(document: ResultDocument, paint: Paint, width: number): string[] {
  const { outcome } = document.verdict
  const { word } = VERDICTS[outcome]
  const left = `   ${thresholdSummary(document)} · ${validityWords(document)}`
  const right = extentWords(document)
  const gap = width - word.length - left.length - right.length
  const head = paint(word, 'bold', VERDICT_INKS[outcome]) + left
  const lines = gap >= 2 ? [head + ' '.repeat(gap) + right] : [head, `  ${right}`]
  const note = speedNote(document)
  return note === null
    ? lines
    : [...lines, ...wrap(note, width, '  ', '  ').map((line) => paint(line, 'dim'))]
}

/** Why it did not pass, but for thresholds: those have a line of their own below. */
function reasons(document: ResultDocument, paint: Paint, width: number): string[] {
  return otherReasons(document).flatMap((reason) =>
    marked('!', reasonText(reason), 'red', paint, width),
  )
}

/** Where the words for missing quantiles do not fit into the table, they follow below it. */
function waits(document: ResultDocument, paint: Paint, width: number): string[] {
  const rows = waitRows(document)
  const full = waitTable(rows, cellText)
  const fits = full.every((line) => line.length <= width)
  const [head = '', ...body] = fits ? full : waitTable(rows, shortCell)
  const notes = fits ? [] : missingNotes(rows)
  const below = notes.flatMap((note) => wrap(note, width, '    ', '      '))
  return [paint(head, 'bold'), ...body, ...below.map((line) => paint(line, 'dim'))]
}

function waitTable(rows: readonly WaitRow[], cell: typeof cellText): string[] {
  const head = ['  What users wait for', ...STATISTICS, 'p95 lies in (95 %)', '']
  const body = rows.map((row) => [
    `  ${row.part ? '  ' : ''}${row.label}`,
    cell(row.cells.p50),
    cell(row.cells.p95),
    cell(row.cells.p99),
    cell(row.cells.max),
    intervalOf(row, 'p95') ?? '',
    row.note === null ? '' : `(${row.note})`,
  ])
  return columns([head, ...body], ['left', 'unit', 'unit', 'unit', 'unit', 'unit', 'left'])
}

function shortCell(metric: Metric | null): string {
  return metric !== null && isTooFew(metric) ? 'too few' : cellText(metric)
}

/** One line for all rows that lack the same number of samples: `p99 too few (240 of 299 needed): end to end, ...` */
function missingNotes(rows: readonly WaitRow[]): string[] {
  const labels = new Map<string, string[]>()
  for (const row of rows) {
    for (const name of STATISTICS) {
      const metric = row.cells[name]
      if (metric === null || !isTooFew(metric)) continue
      const words = `${name} ${formatMissing(metric)}`
      labels.set(words, [...(labels.get(words) ?? []), row.label])
    }
  }
  return [...labels].map(([words, names]) => `${words}: ${names.join(', ')}`)
}

function facts(document: ResultDocument, width: number): string[] {
  const checks = document.checks.filter(({ failed, threw }) => failed + threw > 0)
  const errors = document.errors.reduce((sum, { count }) => sum + count, 0)
  const rows: [string, string][] = [
    ['Outcomes', outcomeSentence(document)],
    ['Polling', pollingSentence(document)],
    ['Contract', contractSentence(document)],
    ...(errors > 0 ? [['Errors', errorSentence(document)] as [string, string]] : []),
    ...checks.map(({ name, passed, failed, threw }): [string, string] => [
      'Check',
      `"${plainText(name)}" failed for ${formatParts(failed + threw, passed)}`,
    ]),
    ...(document.ledger === null
      ? []
      : [['Ledger', ledgerSentence(document.ledger)] as [string, string]]),
  ]
  return rows.flatMap(([name, text]) => wrap(text, width, `  ${name.padEnd(9)}  `, ' '.repeat(13)))
}

function formatParts(bad: number, good: number): string {
  return `${bad} of ${plural(bad + good, 'execution')}`
}

function errorSentence(document: ResultDocument): string {
  return document.errors
    .map(({ operation, class: name, count }) => `${operation} ${plainText(name)} ${count}`)
    .join('  ')
}

function ledgerSentence(ledger: NonNullable<ResultDocument['ledger']>): string {
  if (ledger.disagreements.length === 0)
    return `agrees on all ${plural(ledger.agreed, 'execution')}`
  const kinds = ledger.disagreements.map(({ kind, count }) => `${kind} ${count}`)
  return `agrees on ${ledger.agreed} of ${plural(ledger.rows, 'row')}; ${kinds.join('  ')}`
}

const STATUS: Record<ThresholdResult['status'], { word: string; ink: Ink }> = {
  met: { word: 'ok', ink: 'green' },
  missed: { word: 'MISS', ink: 'red' },
  'too-few': { word: 'few', ink: 'yellow' },
  unmeasurable: { word: 'none', ink: 'yellow' },
}

function thresholds(results: readonly ThresholdResult[], paint: Paint, width: number): string[] {
  const lines = columns(
    results.map((result) => [
      `  ${STATUS[result.status].word.padEnd(4)}`,
      plainText(result.metric),
      formatMeasured(result),
      formatBound(result),
    ]),
    ['left', 'left', 'unit', 'left'],
  )
  return results.flatMap((result, index) =>
    thresholdLines(result, lines[index] ?? '', paint, width),
  )
}

/** The row; after a miss the next command, on the same line where it fits. */
function thresholdLines(
  result: ThresholdResult,
  line: string,
  paint: Paint,
  width: number,
): string[] {
  const { word, ink } = STATUS[result.status]
  const painted = `  ${paint(word, ink)}${line.slice(2 + word.length)}`
  if (result.hint === null) return [painted]
  const hint = plainText(result.hint, 300)
  if (line.length + 3 + hint.length <= width) return [`${painted}   ${hint}`]
  return [painted, ...wrap(hint, width, '        ', '        ')]
}

function findings(document: ResultDocument, paint: Paint, width: number): string[] {
  const signs = { info: ['i', 'cyan'], warning: ['!', 'yellow'], problem: ['!', 'red'] } as const
  return document.findings.flatMap(({ severity, message }) => {
    const [sign, ink] = signs[severity]
    return marked(sign, plainText(message, 400), ink, paint, width)
  })
}

function marked(sign: string, text: string, ink: Ink, paint: Paint, width: number): string[] {
  const [first = '', ...rest] = wrap(text, width, `  ${sign} `, '    ')
  return [`  ${paint(sign, ink)}${first.slice(2 + sign.length)}`, ...rest]
}

function footer(reportPath: string | null, paint: Paint): string[] {
  return reportPath === null ? [] : [`  ${paint('report', 'bold')}  ${reportPath}`]
}
