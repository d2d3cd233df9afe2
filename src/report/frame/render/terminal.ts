/**
 * A report on a terminal: the verdict first, then the evidence; and the plan of what will be done.
 */
import { unreachable } from '../../../base/assert.ts'
import { columns, padded, createPaint, widest } from '../../text/columns.ts'
import { wrap } from '../../../base/text.ts'
import { SEVERITIES, allText, blocksOn } from '../report.ts'
import { plainText, SENTENCES_LIMIT } from '../../text/format.ts'
import type { Ink, Paint } from '../../text/columns.ts'
import type { Block, Fact, Report, Section } from '../report.ts'
import type { Table, Tone } from '../../text/table.ts'
import { cellText, cellTone, isShown } from '../../text/table.ts'
import { thresholdLines } from '../thresholds.ts'

export interface TerminalOptions {
  /** Whether to use ANSI colours; the caller checks NO_COLOR and the terminal. */
  color: boolean
  /** The width of the terminal in characters. */
  width: number
  /** The path of `report.html`; null when none was written. */
  reportPath: string | null
}

const INKS: Record<Tone | 'muted', Ink> = {
  good: 'green',
  doubt: 'yellow',
  bad: 'red',
  muted: 'dim',
}

/** Ends with a newline. Foreign text is shown without control characters. */
export function renderTerminal(report: Report, options: TerminalOptions): string {
  const paint = createPaint(options.color)
  const { width, reportPath } = options
  const { parts = [] } = report
  return joined([
    ...ownBlocks(report, paint, width),
    ...parts.flatMap((part) =>
      [partLine(part, paint, width)].concat(ownBlocks(part, paint, width)),
    ),
    reportPath === null ? [] : [`  ${paint('report', 'bold')}  ${reportPath}`],
  ])
}

const RULE_WIDTH = 80

function partLine({ title }: Report, paint: Paint, width: number): string[] {
  const name = `── ${plainText(title)} `
  const rule = '─'.repeat(Math.max(2, Math.min(width, RULE_WIDTH) - name.length))
  return [paint(name + rule, 'bold')]
}

function ownBlocks(report: Report, paint: Paint, width: number): string[][] {
  const { reasons, lead = [], findings, facts, sections, origin } = report
  return [
    headlineLines(report, paint, width),
    reasons.flatMap((reason) => marked('!', reason, 'yellow', paint, width)),
    ...terminalBlocks({ title: null, blocks: lead }, paint, width),
    findings.flatMap(({ severity, message }) => {
      const { sign, word, ink } = SEVERITIES[severity]
      return marked(sign, `${word}: ${message}`, ink, paint, width)
    }),
    factLines([...facts, { name: origin.name ?? 'Target', text: targetText(origin) }], width),
    ...sections.flatMap((each) => terminalBlocks(each, paint, width)),
  ]
}

function targetText({ target, proxy }: Report['origin']): string {
  return proxy === undefined ? target : `${target}, through the proxy ${proxy}`
}

/** The plan of what will be done, shown before anything is sent: names and values. */
export interface PlanText {
  title: string
  rows: readonly (readonly [name: string, text: string])[]
  /** Sentences that a reader should know in advance. */
  notes?: readonly string[]
}

/** The rows of which something is known. */
export function knownRows(
  ...rows: readonly (readonly [name: string, text: string | null | undefined | false])[]
): [string, string][] {
  return rows.flatMap(([name, text]): [string, string][] =>
    text == null || text === false ? [] : [[name, text]],
  )
}

const PLAN_WIDTH = 80

/** Ends with a newline; plain text with at most 80 characters per line, where words allow it. */
export function renderPlanText({ title, rows, notes = [] }: PlanText): string {
  const plain = rows.map(([name, text]): [string, string] => [
    name,
    plainText(text, SENTENCES_LIMIT),
  ])
  const indent = ' '.repeat(4 + Math.max(0, ...rows.map(([name]) => name.length)))
  const lines = columns(plain, ['left', 'left']).flatMap((line) =>
    wrap(line, PLAN_WIDTH, '  ', indent),
  )
  const wrapped = notes.flatMap((note) =>
    wrap(plainText(note, SENTENCES_LIMIT), PLAN_WIDTH, '  ! ', '    '),
  )
  return [plainText(title), ...lines, ...wrapped, ''].join('\n')
}

function joined(blocks: readonly (readonly string[])[]): string {
  const texts = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${texts.join('\n\n')}\n`
}

function headlineLines({ headline }: Report, paint: Paint, width: number): string[] {
  const { word, tone, cause, load = '', basis = [] } = headline
  const indent = ' '.repeat(word.length + 3)
  const later = indent.length > width / 3 ? '    ' : indent
  const texts = [cause ?? '', allText(headline), load, basis.map(({ text }) => text).join(' · ')]
  const [beside = '', ...below] = texts.filter((text) => text !== '')
  const [first = '', ...rest] = wrap(plainText(beside, SENTENCES_LIMIT), width, indent, later)
  return [
    paint(word, 'bold', INKS[tone]) + first.slice(word.length),
    ...rest,
    ...below.flatMap((text) => wrap(plainText(text, SENTENCES_LIMIT), width, '  ', '  ')),
  ]
}

function marked(sign: string, text: string, ink: Ink, paint: Paint, width: number): string[] {
  const [first = '', ...rest] = wrap(plainText(text, SENTENCES_LIMIT), width, `  ${sign} `, '    ')
  return [`  ${paint(sign, ink)}${first.slice(2 + sign.length)}`, ...rest]
}

function factLines(facts: readonly Fact[], width: number): string[] {
  const shown = facts.filter((fact) => isShown(fact, 'terminal'))
  const room = Math.max(0, ...shown.map(({ name }) => name.length))
  return shown.flatMap(({ name, text }) =>
    wrap(plainText(text, SENTENCES_LIMIT), width, `  ${name.padEnd(room)}  `, ' '.repeat(room + 4)),
  )
}

/** The blocks that a terminal shows, in groups of lines, under their title if they have one. */
function terminalBlocks(
  { title, blocks }: Pick<Section, 'title' | 'blocks'>,
  paint: Paint,
  width: number,
): string[][] {
  const [first, ...rest] = blocksOn({ blocks }, 'terminal').flatMap((block) =>
    blockLines(block, paint, width),
  )
  if (first === undefined) return []
  return [title === null ? first : [`  ${paint(title, 'bold')}`, ...first], ...rest]
}

/** A table that is too wide is split into several. */
function blockLines(block: Block, paint: Paint, width: number): string[][] {
  switch (block.kind) {
    case 'prose':
      return [proseLines(block, paint, width)]
    case 'list':
      return [block.items.flatMap((item) => marked('!', item, 'yellow', paint, width))]
    case 'facts':
      return [factLines(block.facts, width)]
    case 'table':
      return tables(block, paint, width)
    case 'thresholds':
      return [thresholdLines(block.rows, INKS, paint, width)]
    case 'verbatim':
      return [block.text.split('\n').flatMap((line) => wrap(line, width, '    ', '      '))]
    case 'figure':
    case 'drawing':
    case 'explored':
    case 'fold':
      return []
    default:
      return unreachable(block)
  }
}

function proseLines(
  { text, as }: Extract<Block, { kind: 'prose' }>,
  paint: Paint,
  width: number,
): string[] {
  const lines = wrap(plainText(text, SENTENCES_LIMIT), width, '  ', '  ')
  return as === 'muted' ? lines.map((line) => paint(line, 'dim')) : lines
}

function tables(table: Table, paint: Paint, width: number): string[][] {
  if (table.rows.length === 0) return table.empty === null ? [] : [[`  ${table.empty}`]]
  const shown = table.columns.flatMap((column, at) => (isShown(column, 'terminal') ? [at] : []))
  const { fixed = 1 } = table
  const [repeated, others] = [shown.slice(0, fixed), shown.slice(fixed)]
  const plain = createPaint(false)
  const found: string[][] = []
  for (let from = 0; from < Math.max(1, others.length);) {
    let size = others.length - from
    const chosen = (): number[] => [...repeated, ...others.slice(from, from + size)]
    while (size > 1 && widest(tableLines(table, chosen(), plain)) > width) size--
    found.push(tableLines(table, chosen(), paint, width))
    from += Math.max(1, size)
  }
  return found
}

const ALIGNMENTS = {
  number: 'right',
  unit: 'unit',
  code: 'left',
  bound: 'left',
  text: 'left',
} as const

/** A text in the last column that is too wide continues below itself. */
function tableLines(
  table: Table,
  chosen: readonly number[],
  paint: Paint,
  width = Infinity,
): string[] {
  const { columns: all, rows, terminalRows = rows.length } = table
  const shown = rows.slice(0, terminalRows)
  const titles = chosen.map((at) => all[at]?.title ?? '')
  const texts = shown.map((row) => chosen.map((at) => plainText(cellText(row[at] ?? ''))))
  const cells = padded(
    [titles, ...texts],
    chosen.map((at) => ALIGNMENTS[all[at]?.kind ?? 'text']),
  )
  const [head = [], ...body] = cells
  const more = rows.length - shown.length
  return [
    `  ${head.join('  ')}`.trimEnd(),
    ...body.flatMap((row, i) => {
      const before = row.slice(0, -1).reduce((sum, text) => sum + Array.from(text).length + 2, 2)
      return continued(row, width - before).map((cells, line) => {
        const painted = cells.map((text, j) => {
          const column = line === 0 ? j : row.length - 1
          const tone = cellTone(shown[i]?.[chosen[column] ?? 0] ?? '')
          return tone === null ? text : paintedCell(text, tone, paint)
        })
        return `${' '.repeat(line === 0 ? 2 : before)}${painted.join('  ')}`.trimEnd()
      })
    }),
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ]
}

/** A text that has less room than this stays on one line. */
const LEAST_ROOM = 24

/** The row, then a row of one cell for each further line of its last text. */
function continued(row: readonly string[], room: number): string[][] {
  const last = row.at(-1)?.trimEnd() ?? ''
  if (Array.from(last).length <= room || room < LEAST_ROOM) return [[...row]]
  const [first = '', ...rest] = wrap(last, room, '', '')
  return [[...row.slice(0, -1), first], ...rest.map((text) => [text])]
}

/** Paints the cell without the surrounding spaces. */
function paintedCell(text: string, tone: Tone | 'muted', paint: Paint): string {
  const bare = text.trim()
  return bare === '' ? text : text.replace(bare, () => paint(bare, INKS[tone]))
}
