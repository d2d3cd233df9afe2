/** The table of thresholds: each with its measured value, bound, interval and margin. */
import { wrap } from '../../base/text.ts'
import { ink } from '../charts/palette.ts'
import type { Color } from '../charts/palette.ts'
import { round } from '../charts/plot.ts'
import { columns } from '../text/columns.ts'
import { formatPercent, NOTHING } from '../../base/numbers.ts'
import { plainText, SENTENCES_LIMIT } from '../text/format.ts'
import { html, tied } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'
import type { Ink, Paint } from '../text/columns.ts'
import type { Margin, ThresholdRow } from './report.ts'
import { columnsOf } from '../text/table.ts'
import type { Table, Tone } from '../text/table.ts'
import { noteInCell, tableFrame } from './table-frame.ts'

type ThresholdRows = readonly ThresholdRow[]

/** For Markdown: what is worth reading, the worst first. */
export function thresholdTable(rows: ThresholdRows): Table {
  const titles = ['', 'threshold', 'measured', '95 % interval', 'bound', 'next']
  return {
    kind: 'table',
    columns: titles.map((title) => ({ title })),
    rows: openRows(rows).map((row) => [
      { text: `${row.sign} ${row.word}`, tone: row.tone },
      named(row.name, row.meaning, row.note),
      row.measured,
      row.interval ?? NOTHING,
      row.bound,
      row.next ?? '',
    ]),
    empty: null,
  }
}

const WORST_FIRST: readonly Tone[] = ['bad', 'doubt']

/** What is not plain: a reader who has little time sees the worst first. */
function openRows(rows: ThresholdRows): ThresholdRows {
  return WORST_FIRST.flatMap((tone) => rows.filter((row) => row.tone === tone && !row.isPlain))
}

interface PlainGroup extends Pick<ThresholdRow, 'sign' | 'word' | 'tone'> {
  rows: ThresholdRows
}

/** The plain ones of each standing, the worst first. */
function plainGroups(rows: ThresholdRows): PlainGroup[] {
  const plain = rows.filter(({ isPlain }) => isPlain)
  return [...WORST_FIRST, 'good' as const].flatMap((tone) => {
    const group = plain.filter((row) => row.tone === tone)
    const [first] = group
    if (first === undefined) return []
    const { sign, word } = first
    return { sign, word, tone, rows: group }
  })
}

/** `✓ met: target.alive yes (yes); execution.p95 4.20 s (< 8 s)`; one line a standing. */
export function plainLines(rows: ThresholdRows): string[] {
  return plainGroups(rows).map(({ sign, word, rows: group }) => {
    const each = group.map(({ name, measured, bound }) => `${name} ${measured} (${bound})`)
    return `${sign} ${word}: ${each.join('; ')}`
  })
}

/** `execution.failed (failed, of those that completed or failed; by value)`. */
function named(name: string, ...notes: readonly (string | null)[]): string {
  const present = notes.filter((note) => note !== null)
  return present.length === 0 ? name : `${name} (${present.join('; ')})`
}

/** For a terminal: a row each of what is not plain, with its reason below. */
export function thresholdLines(
  rows: ThresholdRows,
  inks: Readonly<Record<Tone, Ink>>,
  paint: Paint,
  width: number,
): string[] {
  const open = openRows(rows)
  const lines = columns(
    open.map(({ sign, word, name, note, measured, bound }) => [
      `  ${sign} ${word}`,
      plainText(named(name, note)),
      measured,
      bound,
    ]),
    ['left', 'left', 'unit', 'left'],
  )
  return open.flatMap(({ sign, word, tone, next }, at) => {
    const line = lines[at] ?? ''
    const standing = `${sign} ${word}`
    const painted = `  ${paint(standing, inks[tone])}${line.slice(2 + standing.length)}`
    const text = plainText(next ?? '', SENTENCES_LIMIT)
    return [painted].concat(text === '' ? [] : wrap(text, width, '      ', '      '))
  })
}

/** For the page: what is plain is folded. */
export function thresholdMarkup(rows: ThresholdRows): Markup {
  const open = openRows(rows)
  const folds = plainGroups(rows).map(
    ({ sign, word, tone, rows: group }) =>
      html`<details class="met">
        <summary><span class="${tone}">${sign}</span> what was ${word}</summary>
        ${gateTable(group)}
      </details>`,
  )
  return html`${open.length === 0 ? null : gateTable(open)}${folds}`
}

function gateTable(rows: ThresholdRows): Markup {
  const columns = [
    ...columnsOf(['result', 'threshold'], ['measured'], ['bound']),
    ...columnsOf([], ['95 % interval'], ['margin']),
  ]
  return tableFrame({ name: 'thresholds', looks: 'gates', columns, body: rows.map(rowMarkup) })
}

/**
 * Each threshold has its own table body, so that the next step is in a second row without a line
 * between them.
 */
function rowMarkup(row: ThresholdRow): Markup {
  const { sign, word, tone, name, meaning, note, measured, interval, bound, next, margin } = row
  const hint =
    next === null
      ? null
      : html`<tr>
          <td></td>
          <td colspan="5" class="hint">→ ${tied(next)}</td>
        </tr>`
  return html`<tbody>
    <tr>
      <td class="word"><span class="${tone}">${sign} ${word}</span></td>
      <td class="name">${name}${[meaning, note].map(noteInCell)}</td>
      <td class="number measured">${measured}</td>
      <td class="bound">${bound}</td>
      <td class="number interval ${interval === null ? 'none' : null}">${interval ?? NOTHING}</td>
      <td>${margin === null ? null : marginBar(margin, tone)}</td>
    </tr>
    ${hint}
  </tbody>`
}

const BAR = { width: 140, height: 14 }
/**
 * The position of the bound in the bar; the part beyond it covers up to half of the bound again.
 */
const BOUND_X = 94

/** A bar that exceeds the picture ends in an arrow. */
const CUT_BAR = 'M0 4H128V0L140 7L128 14V10H0Z'

const BAR_COLORS: Record<Tone, Color> = { good: 'service', doubt: 'doubt', bad: 'error' }

/**
 * The measured value against the bound, hatched where it is undecided: the bound at a fixed
 * position, the allowed side shaded. A value that never ended for some executions exceeds the bar
 * with an arrow.
 */
function marginBar({ value, low, high, isUpper }: Margin, tone: Tone): Markup {
  const x = (share: number): number => round(Math.min(BAR.width, share * BOUND_X))
  const color = ink(BAR_COLORS[tone])
  const length = Math.max(1.5, x(value))
  const bar =
    x(value) >= BAR.width
      ? html`<path d="${CUT_BAR}" fill="${color}" />`
      : tone === 'doubt'
        ? html`<path
            d="M0 7H${length}"
            stroke="${color}"
            stroke-width="6"
            stroke-dasharray="3 2"
          />`
        : html`<rect x="0" y="4" width="${length}" height="6" fill="${color}" />`
  const whiskers =
    low === null || high === null
      ? null
      : html`<path d="M${x(low)} 7H${x(high)}" stroke="${ink('ink')}" />`
  const amount = value === Infinity ? 'never' : `${formatPercent(value)} of the bound`
  const name = `${amount} (${isUpper ? 'an upper' : 'a lower'} bound)`
  const allowed = isUpper ? `M0 7H${BOUND_X}` : `M${BOUND_X} 7H${BAR.width}`
  return html`<svg
    class="margin"
    viewBox="0 0 ${BAR.width} ${BAR.height}"
    role="img"
    aria-label="${name}"
  >
    <path d="${allowed}" stroke="${ink('hair')}" stroke-width="14" />
    ${bar} ${whiskers}
    <path d="M${BOUND_X} 0V14" stroke="${ink('ink')}" stroke-width="2" />
  </svg>`
}
