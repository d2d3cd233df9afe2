/** Section 1: the verdict, whether to trust it, what was run, and the thresholds. */
import { timeNotes } from '../time-notes.ts'
import type { Finding, ResultDocument, ThresholdResult } from '../../../analysis/document.ts'
import {
  formatInstant,
  formatInterval,
  formatMeasuredBriefly,
  formatMs,
  judgementNote,
  metricNote,
  NOTHING,
  plural,
  splitBound,
  wallMeasured,
  wallNote,
} from '../../frame/format.ts'
import {
  engineWords,
  extentWords,
  otherReasons,
  thresholdSummary,
  verdictSign,
  verdictWord,
} from '../summary.ts'
import { reasonText } from '../../frame/report.ts'
import { findingBox } from '../../frame/findings.ts'
import { judgementSentences } from '../judgement.ts'
import { html, tied } from '../../frame/markup.ts'
import type { Content, Markup } from '../../frame/markup.ts'
import { factList } from '../../frame/page.ts'
import { ink } from '../../charts/palette.ts'
import { round } from '../../charts/plot.ts'
import { fold } from '../../frame/table.ts'

const TONES = {
  passed: 'good',
  failed: 'bad',
  invalid: 'bad',
  inconclusive: 'doubt',
  unreachable: 'bad',
} as const

export function renderHead(document: ResultDocument): Markup {
  const reasons = otherReasons(document)
  return html`<header>
    <h1>${verdictSentence(document)}</h1>
    ${verdictLine(document)}
    ${
      reasons.length === 0
        ? null
        : html`<ul class="reasons">
            ${reasons.map((reason) => html`<li>${tied(reasonText(reason))}</li>`)}
          </ul>`
    }
    ${thresholdTable(document)}
    ${judgementSentences(document).map((sentence) => html`<p class="muted">${tied(sentence)}</p>`)}
    ${advice(document.findings)}
    ${document.run.description === '' ? null : html`<p class="about">${document.run.description}</p>`}
    ${timeNotes(document).map((note) => html`<p class="about">${note}</p>`)} ${runFacts(document)}
  </header> `
}

/** The sentence with its sign; its first word has the colour of the verdict. */
function verdictSentence({ verdict }: ResultDocument): Markup {
  const tone = verdict.problems > 0 ? 'doubt' : TONES[verdict.outcome]
  const [, word = '', rest = ''] = /^([^.]+\.?)(.*)$/s.exec(verdict.sentence) ?? []
  return html`<span class="${tone}">${verdictSign(verdict)} ${word}</span>${tied(rest)}`
}

function verdictLine(document: ResultDocument): Markup {
  const { valid } = document.verdict
  return html`<p class="verdict">
    <span>${thresholdSummary(document)}</span>
    <span class="${valid ? 'good' : 'bad'}"
      >${valid ? '✓ measurement valid' : '! measurement not valid'}</span
    >
  </p>`
}

/** What must be seen at once; a reader in a hurry gets no wall of them. */
const FINDINGS_SHOWN = 5

function advice(findings: readonly Finding[]): Content {
  const lines = findings.map(findingBox)
  if (lines.length <= FINDINGS_SHOWN + 1) return lines
  const more = plural(lines.length - FINDINGS_SHOWN, 'more finding')
  return [...lines.slice(0, FINDINGS_SHOWN), fold(more, lines.slice(FINDINGS_SHOWN))]
}

function runFacts(document: ResultDocument): Markup {
  const { run } = document
  const facts: [string, string][] = [
    ['Scenario', run.scenario],
    ['Target', run.profile === null ? run.target : `${run.target}, ${run.profile}`],
    ['Extent', extentWords(document)],
    ['Started', formatInstant(run.startedAt)],
    ['Engine', `${engineWords(document)}, seed ${run.seed}`],
    ['crewload', `${document.crewload}${run.node === null ? '' : ` on Node ${run.node}`}`],
    ['Dialect', run.dialect ?? 'not seen'],
    ...(document.warmUpArrivals > 0
      ? [['Warm-up', `${document.warmUpArrivals} arrivals, not counted`] as [string, string]]
      : []),
  ]
  return factList(facts)
}

const STATUSES: Record<ThresholdResult['status'], Markup> = {
  met: html`<span class="good">✓ met</span>`,
  missed: html`<span class="bad">✗ missed</span>`,
  undecided: html`<span class="doubt">? undecided</span>`,
  unmeasurable: html`<span class="doubt">? not measurable</span>`,
}

function thresholdTable({ thresholds, run }: ResultDocument): Markup {
  if (thresholds.length === 0) {
    return html`<p class="muted">
      This scenario sets no thresholds: the verdict says only that the measurement can be trusted.
    </p>`
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label="thresholds">
    <table class="gates">
      <thead>
        <tr>
          <th scope="col"></th>
          <th scope="col">threshold</th>
          <th scope="col" class="number">measured</th>
          <th scope="col">bound</th>
          <th scope="col" class="number">95 % interval</th>
          <th scope="col">margin</th>
        </tr>
      </thead>
      ${thresholds.map((each) => thresholdRows(each, run.speed))}
    </table>
  </div>`
}

/**
 * A body of its own for each threshold, so that what to do next stands in a second row without a
 * line between.
 */
function thresholdRows(result: ThresholdResult, speed: number): Markup {
  const wall = wallMeasured(result, speed)
  const { bound, origin } = splitBound(result)
  const interval = formatInterval(result.measured)
  const notes = [metricNote(result.metric), judgementNote(result), wallNote(result, speed)].filter(
    (note) => note !== null,
  )
  const hint =
    result.hint === null
      ? null
      : html`<tr>
          <td></td>
          <td colspan="5" class="hint">→ ${tied(result.hint)}</td>
        </tr>`
  return html`<tbody>
    <tr>
      <td class="word">${STATUSES[result.status]}</td>
      <td class="name">
        ${result.metric}${notes.map((note) => html`<span class="origin">${note}</span>`)}
      </td>
      <td class="number measured">
        ${formatMeasuredBriefly(result)}${wall === null ? null : html`<span class="origin">${wall}</span>`}
      </td>
      <td class="bound">
        ${bound}${origin === null ? null : html`<span class="origin">${origin}</span>`}
      </td>
      <td class="number interval ${interval === null ? 'none' : null}">${interval ?? NOTHING}</td>
      <td>${marginBar(result)}</td>
    </tr>
    ${hint}
  </tbody>`
}

const BAR = { width: 140, height: 14 }
/** Where the bound stands in the bar: what lies beyond it is over by up to half again. */
const BOUND_X = 94

/** A bar that runs out of the picture ends in an arrow. */
const CUT_BAR = 'M0 4H128V0L140 7L128 14V10H0Z'

/**
 * Measured against bound, the bound at a fixed place, the allowed side shaded; what never came to
 * all runs out of the bar with an arrow. Null without a number, or where the bound is zero or a
 * yes.
 */
function marginBar({ measured, bound, operator, status }: ThresholdResult): Markup | null {
  const { unit, low, high } = measured
  if (measured.value === null || bound <= 0 || unit === 'flag') return null
  const value = reachOf(measured.value)
  const x = (at: number): number => round(Math.min(BAR.width, (at / bound) * BOUND_X))
  const color = ink(status === 'missed' ? 'error' : 'service')
  const whiskers =
    low === null || high === null
      ? null
      : html`<path d="M${x(reachOf(low))} 7H${x(reachOf(high))}" stroke="${ink('ink')}" />`
  const isUpper = operator === '<' || operator === '<='
  const amount =
    value === Infinity ? 'never' : `${Math.round((value / bound) * 100)} % of the bound`
  const name = `${amount}, which is ${isUpper ? 'an upper' : 'a lower'} one`
  const allowed = isUpper ? `M0 7H${BOUND_X}` : `M${BOUND_X} 7H${BAR.width}`
  return html`<svg
    class="margin"
    viewBox="0 0 ${BAR.width} ${BAR.height}"
    role="img"
    aria-label="${name}"
  >
    <path d="${allowed}" stroke="${ink('hair')}" stroke-width="14" />
    ${x(value) < BAR.width ? html`<rect x="0" y="4" width="${Math.max(1.5, x(value))}" height="6" fill="${color}" />` : html`<path d="${CUT_BAR}" fill="${color}" />`}
    ${whiskers}
    <path d="M${BOUND_X} 0V14" stroke="${ink('ink')}" stroke-width="2" />
  </svg>`
}

function reachOf(value: number | 'never'): number {
  return value === 'never' ? Infinity : value
}

/** The page's title in a browser's tab. */
export function pageTitle(document: ResultDocument): string {
  const { verdict } = document
  return `${verdictSign(verdict)} ${verdictWord(verdict)} ${document.run.scenario}, ${formatMs(document.run.durationMs * document.run.speed)}`
}
