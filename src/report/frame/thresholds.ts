/** The table of thresholds: each with its measured value, bound, interval and margin. */
import { wrap } from '../../base/text.ts'
import { ink } from '../charts/palette.ts'
import { round } from '../charts/plot.ts'
import { columns } from './columns.ts'
import { NOTHING } from '../../base/numbers.ts'
import { plainText, SENTENCES_LIMIT } from './format.ts'
import { html, tied } from './markup.ts'
import type { Markup } from './markup.ts'
import type { Ink, Paint } from './columns.ts'
import type { Margin, ThresholdRow } from './report.ts'
import type { Table, Tone } from './table.ts'

type ThresholdRows = readonly ThresholdRow[]

/** For Markdown. */
export function thresholdTable(rows: ThresholdRows): Table {
  const titles = ['', 'threshold', 'measured', '95 % interval', 'bound', 'next']
  return {
    kind: 'table',
    columns: titles.map((title) => ({ title })),
    rows: rows.map((row) => [
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

/** `execution.failed (failed, of those that completed or failed; by value)`. */
function named(name: string, ...notes: readonly (string | null)[]): string {
  const told = notes.filter((note) => note !== null)
  return told.length === 0 ? name : `${name} (${told.join('; ')})`
}

const WORST_FIRST: readonly Tone[] = ['bad', 'doubt', 'good']

/** The rows in another order, so that a reader who has little time sees the worst. */
export function worstFirst(rows: ThresholdRows): ThresholdRows {
  return rows.toSorted((a, b) => WORST_FIRST.indexOf(a.tone) - WORST_FIRST.indexOf(b.tone))
}

/** For a terminal: a row each, and what to do next on the same line when it fits. */
export function thresholdLines(
  rows: ThresholdRows,
  inks: Readonly<Record<Tone, Ink>>,
  paint: Paint,
  width: number,
): string[] {
  const lines = columns(
    rows.map(({ sign, word, name, note, measured, bound }) => [
      `  ${sign} ${word}`,
      plainText(named(name, note)),
      measured,
      bound,
    ]),
    ['left', 'left', 'unit', 'left'],
  )
  return rows.flatMap(({ sign, word, tone, next }, at) => {
    const line = lines[at] ?? ''
    const standing = `${sign} ${word}`
    const painted = `  ${paint(standing, inks[tone])}${line.slice(2 + standing.length)}`
    if (next === null) return [painted]
    const text = plainText(next, SENTENCES_LIMIT)
    if (line.length + 3 + text.length <= width) return [`${painted}   ${text}`]
    return [painted, ...wrap(text, width, '        ', '        ')]
  })
}

/** For the page. */
export function thresholdMarkup(rows: ThresholdRows): Markup {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="thresholds">
    <table class="gates">
      <thead>
        <tr>
          <th scope="col">result</th>
          <th scope="col">threshold</th>
          <th scope="col" class="number">measured</th>
          <th scope="col">bound</th>
          <th scope="col" class="number">95 % interval</th>
          <th scope="col">margin</th>
        </tr>
      </thead>
      ${rows.map(rowMarkup)}
    </table>
  </div>`
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
      <td class="name">${name}${[meaning, note].map(beside)}</td>
      <td class="number measured">${measured}</td>
      <td class="bound">${bound}</td>
      <td class="number interval ${interval === null ? 'none' : null}">${interval ?? NOTHING}</td>
      <td>${margin === null ? null : marginBar(margin)}</td>
    </tr>
    ${hint}
  </tbody>`
}

function beside(note: string | null): Markup | null {
  return note === null ? null : html`<span class="origin">${note}</span>`
}

const BAR = { width: 140, height: 14 }
/**
 * The position of the bound in the bar; the part beyond it covers up to half of the bound again.
 */
const BOUND_X = 94

/** A bar that exceeds the picture ends in an arrow. */
const CUT_BAR = 'M0 4H128V0L140 7L128 14V10H0Z'

/**
 * The measured value against the bound: the bound at a fixed position, the allowed side shaded. A
 * value that never ended for some executions exceeds the bar with an arrow.
 */
function marginBar({ value, low, high, isUpper, missed }: Margin): Markup {
  const x = (share: number): number => round(Math.min(BAR.width, share * BOUND_X))
  const color = ink(missed ? 'error' : 'service')
  const length = Math.max(1.5, x(value))
  const bar =
    x(value) < BAR.width
      ? html`<rect x="0" y="4" width="${length}" height="6" fill="${color}" />`
      : html`<path d="${CUT_BAR}" fill="${color}" />`
  const whiskers =
    low === null || high === null
      ? null
      : html`<path d="M${x(low)} 7H${x(high)}" stroke="${ink('ink')}" />`
  const amount = value === Infinity ? 'never' : `${Math.round(value * 100)} % of the bound`
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
