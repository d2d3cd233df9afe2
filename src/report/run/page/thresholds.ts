/** The table of thresholds: each with its measured value, bound, interval and margin. */
import type { ResultDocument, ThresholdResult } from '../../../result/document.ts'
import { ink } from '../../charts/palette.ts'
import { round } from '../../charts/plot.ts'
import {
  formatBound,
  formatMeasuredBriefly,
  formatMeasuredInterval,
  judgementNote,
  metricNote,
  NOTHING,
} from '../../frame/format.ts'
import { html, tied } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { standingOf } from '../standing.ts'
import type { Standing } from '../standing.ts'

const STANDINGS: Record<Standing, Markup> = {
  met: html`<span class="good">✓ met</span>`,
  within: html`<span class="doubt">within, by value</span>`,
  missed: html`<span class="bad">✗ missed</span>`,
  undecided: html`<span class="doubt">? undecided</span>`,
  unmeasurable: html`<span class="doubt">? not measurable</span>`,
  notJudged: html`<span class="doubt">– not judged</span>`,
}

export function thresholdTable({ thresholds }: ResultDocument): Markup {
  if (thresholds.length === 0) {
    return html`<p class="muted">
      This scenario sets no thresholds: the verdict says only that the measurement can be trusted.
    </p>`
  }
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
      ${thresholds.map(thresholdRows)}
    </table>
  </div>`
}

/**
 * Each threshold has its own table body, so that the next step is in a second row without a line
 * between them.
 */
function thresholdRows(result: ThresholdResult): Markup {
  const interval = formatMeasuredInterval(result)
  const notes = [metricNote(result.metric), judgementNote(result)].filter((note) => note !== null)
  const hint =
    result.hint === null
      ? null
      : html`<tr>
          <td></td>
          <td colspan="5" class="hint">→ ${tied(result.hint)}</td>
        </tr>`
  return html`<tbody>
    <tr>
      <td class="word">${STANDINGS[standingOf(result)]}</td>
      <td class="name">${result.metric}${notes.map(originOf)}</td>
      <td class="number measured">${formatMeasuredBriefly(result)}</td>
      <td class="bound">${formatBound(result)}</td>
      <td class="number interval ${interval === null ? 'none' : null}">${interval ?? NOTHING}</td>
      <td>${marginBar(result)}</td>
    </tr>
    ${hint}
  </tbody>`
}

function originOf(note: string): Markup {
  return html`<span class="origin">${note}</span>`
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
 * value that never ended for some executions exceeds the bar with an arrow. Null without a number,
 * or when the bound is zero or a yes.
 */
function marginBar({ measured, bound, operator, status }: ThresholdResult): Markup | null {
  const { unit, low, high } = measured
  if (measured.value === null || bound <= 0 || unit === 'flag') return null
  const value = reachOf(measured.value)
  const x = (at: number): number => round(Math.min(BAR.width, (at / bound) * BOUND_X))
  const color = ink(status === 'missed' ? 'error' : 'service')
  const length = Math.max(1.5, x(value))
  const bar =
    x(value) < BAR.width
      ? html`<rect x="0" y="4" width="${length}" height="6" fill="${color}" />`
      : html`<path d="${CUT_BAR}" fill="${color}" />`
  const whiskers =
    low === null || high === null
      ? null
      : html`<path d="M${x(reachOf(low))} 7H${x(reachOf(high))}" stroke="${ink('ink')}" />`
  const isUpper = operator === '<' || operator === '<='
  const amount =
    value === Infinity ? 'never' : `${Math.round((value / bound) * 100)} % of the bound`
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

function reachOf(value: number | 'never'): number {
  return value === 'never' ? Infinity : value
}
