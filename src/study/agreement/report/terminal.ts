/** The end print of an agreement: verdict first, then every aspect beside its bound. */
import type { AgreementDocument, AspectStatus } from '../document.ts'
import { listed } from '../analyse/verdict.ts'
import { formatCount, plainText, plural } from '../../../report/frame/format.ts'
import { columns, wrap } from '../../../report/frame/columns.ts'
import { createPaint } from '../../../report/frame/paint.ts'
import type { Ink, Paint } from '../../../report/frame/paint.ts'
import type { AgreementRow } from './rows.ts'
import { AGREEMENTS, agreementRows, worst } from './rows.ts'

export interface AgreementTerminalOptions {
  /** ANSI colours; the caller looks at NO_COLOR and the terminal. */
  color: boolean
  width: number
  /** Where `agreement.html` lies; null where none was written. */
  reportPath: string | null
}

/** Ends with a newline. */
export function renderAgreement(
  document: AgreementDocument,
  options: AgreementTerminalOptions,
): string {
  const paint = createPaint(options.color)
  const sections = [
    headline(document, paint, options.width),
    reasons(document, paint, options.width),
    ...tables(document, paint, options.width),
    options.reportPath === null ? [] : [`  ${paint('report', 'bold')}  ${options.reportPath}`],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const INKS = { good: 'green', bad: 'red', doubt: 'yellow' } as const

function headline(document: AgreementDocument, paint: Paint, width: number): string[] {
  const { verdict, runs } = document
  const { word, tone } = AGREEMENTS[verdict.outcome]
  const names = listed(runs.map(({ name }) => name))
  const sentence = `   ${names}: ${plural(runs[0]?.arrivals ?? 0, 'arrival')}, seed ${document.seed}, ${plainText(document.profile)}${lapse(document)}`
  const [first = '', ...rest] = wrap(word + sentence, width, '', '  ')
  return [paint(word, 'bold', INKS[tone]) + first.slice(word.length), ...rest]
}

function lapse({ speed }: AgreementDocument): string {
  return speed === 1 ? '' : `, time-lapse x${formatCount(speed)}`
}

function reasons({ verdict }: AgreementDocument, paint: Paint, width: number): string[] {
  return verdict.reasons.flatMap((reason) => reasonLines(reason, paint, width))
}

function reasonLines(reason: string, paint: Paint, width: number): string[] {
  const [first = '', ...rest] = wrap(plainText(reason, 400), width, '  ! ', '    ')
  return [`  ${paint('!', 'red')}${first.slice(3)}`, ...rest]
}

/** As many runs beside the reference as the width allows; the others in tables below, each with the reference again. */
function tables(document: AgreementDocument, paint: Paint, width: number): string[][] {
  const rows = agreementRows(document)
  const others = document.runs.slice(1).map((_, i) => i + 1)
  if (others.length === 0) return [lines(document, rows, [0], paint)]
  const found: string[][] = []
  let from = 0
  while (from < others.length) {
    let size = others.length - from
    const chosen = (): number[] => [0, ...others.slice(from, from + size)]
    while (size > 1 && widest(lines(document, rows, chosen(), createPaint(false))) > width) size--
    found.push(lines(document, rows, chosen(), paint))
    from += size
  }
  return found
}

function widest(text: readonly string[]): number {
  return Math.max(...text.map((line) => Array.from(line).length))
}

const STATUSES: Record<AspectStatus, { word: string; ink: Ink }> = {
  same: { word: 'ok', ink: 'green' },
  differs: { word: 'DIFF', ink: 'red' },
  'too-few': { word: 'few', ink: 'yellow' },
  'not-known': { word: '?', ink: 'yellow' },
}

function lines(
  { runs }: AgreementDocument,
  rows: readonly AgreementRow[],
  chosen: readonly number[],
  paint: Paint,
): string[] {
  const shown = rows.map(({ label, bound, cells }) => {
    const own = chosen.flatMap((run) => cells[run] ?? [])
    return { label, bound, cells: own, status: worst(own) }
  })
  const head = ['', '', ...chosen.flatMap((run) => [runs[run]?.name ?? '', '']), 'bound']
  const [first = '', ...rest] = columns(
    [head, ...shown.map(cellTexts)],
    ['left', 'left', ...chosen.flatMap(() => ['unit', 'right'] as const), 'left'],
  )
  return [
    paint(`  ${first}`, 'bold'),
    ...rest.map((line, i) => painted(line, shown[i]?.status ?? null, paint)),
  ]
}

function cellTexts({ label, status, bound, cells }: AgreementRow): string[] {
  const word = status === null ? '' : STATUSES[status].word
  return [word, label, ...cells.flatMap(({ text, difference }) => [text, difference]), bound]
}

function painted(line: string, status: AspectStatus | null, paint: Paint): string {
  if (status === null) return `  ${line}`
  const { word, ink } = STATUSES[status]
  return `  ${paint(word, ink)}${line.slice(word.length)}`
}
