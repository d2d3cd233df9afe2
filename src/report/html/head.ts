/** Section 1: the verdict, whether to trust it, what was run, and the thresholds. */
import type { ResultDocument, ThresholdResult } from '../../analysis/document.ts'
import {
  formatBound,
  formatInstant,
  formatInterval,
  formatMeasured,
  formatMs,
  NOTHING,
} from '../format.ts'
import {
  extentWords,
  otherReasons,
  reasonText,
  speedNote,
  thresholdSummary,
  VERDICTS,
} from '../summary.ts'
import { html, tied } from './markup.ts'
import type { Markup } from './markup.ts'
import { ink } from './palette.ts'
import { round } from './plot.ts'
import { table } from './table.ts'

const TONES = { passed: 'good', failed: 'bad', invalid: 'bad', inconclusive: 'doubt' } as const

export function renderHead(document: ResultDocument): Markup {
  const { outcome, valid, sentence } = document.verdict
  const { word, sign } = VERDICTS[outcome]
  const note = speedNote(document)
  const reasons = otherReasons(document)
  return html`<header>
    <p class="verdict">
      <span class="word ${TONES[outcome]}">${sign} ${word}</span
      ><span>${thresholdSummary(document)}</span>
      <span class="${valid ? 'good' : 'bad'}"
        >${valid ? '✓ measurement valid' : '! measurement not valid'}</span
      >
    </p>
    <h1>${tied(sentence)}</h1>
    ${
      reasons.length === 0
        ? null
        : html`<ul class="reasons">
            ${reasons.map((reason) => html`<li>${reasonText(reason)}</li>`)}
          </ul>`
    }
    ${note === null ? null : html`<p><strong>${note}</strong></p>`} ${runFacts(document)}
    ${thresholdTable(document.thresholds)}
    ${document.findings.map(({ severity, message }) => html`<p class="advice"><strong>${SEVERITIES[severity]}:</strong> ${message}</p>`)}
  </header> `
}

const SEVERITIES = { info: 'Note', warning: 'Warning', problem: 'Problem' } as const

function runFacts(document: ResultDocument): Markup {
  const { run } = document
  const facts: [string, string][] = [
    ['Scenario', run.description === '' ? run.scenario : `${run.scenario}: ${run.description}`],
    ['Target', run.profile === null ? run.target : `${run.target}, ${run.profile}`],
    ['Extent', extentWords(document)],
    ['Started', formatInstant(run.startedAt)],
    [
      'Engine',
      `${run.engine}${run.instances > 1 ? `, ${run.instances} instances` : ''}, seed ${run.seed}`,
    ],
    ['crewload', `${document.crewload}${run.node === null ? '' : ` on Node ${run.node}`}`],
    ['Dialect', run.dialect ?? 'not seen'],
    ...(document.warmUpArrivals > 0
      ? [['Warm-up', `${document.warmUpArrivals} arrivals, not counted`] as [string, string]]
      : []),
  ]
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

const STATUSES: Record<ThresholdResult['status'], Markup> = {
  met: html`<span class="good">✓ met</span>`,
  missed: html`<span class="bad">✗ missed</span>`,
  'too-few': html`<span class="doubt">? too few</span>`,
  unmeasurable: html`<span class="doubt">? not measurable</span>`,
}

function thresholdTable(thresholds: readonly ThresholdResult[]): Markup {
  if (thresholds.length === 0) {
    return html`<p class="muted">
      This scenario sets no thresholds: the verdict says only that the measurement can be trusted.
    </p>`
  }
  const hints = thresholds.filter(({ hint }) => hint !== null)
  const rows = table(
    [
      { title: '' },
      { title: 'threshold' },
      { title: 'measured', kind: 'number' },
      { title: '95 % interval', kind: 'number' },
      { title: 'bound', kind: 'number' },
      { title: 'margin' },
    ],
    thresholds.map((result) => [
      html`<span style="white-space:nowrap">${STATUSES[result.status]}</span>`,
      result.metric,
      formatMeasured(result),
      formatInterval(result.measured) ?? NOTHING,
      formatBound(result),
      marginBar(result),
    ]),
  )
  if (hints.length === 0) return rows
  return html`${rows}
    <ul class="reasons">
      ${hints.map(({ metric, hint }) => html`<li><strong>${metric}</strong>: ${hint}</li>`)}
    </ul>`
}

const BAR = { width: 140, height: 14 }
/** Where the bound stands in the bar: what lies beyond it is over by up to half again. */
const BOUND_X = 94

/** Measured against bound, the bound at a fixed place; null without a number or where the bound is zero. */
function marginBar({ measured, bound, operator, status }: ThresholdResult): Markup | null {
  if (measured.value === null || bound <= 0) return null
  const x = (value: number): number => round(Math.min(BAR.width, (value / bound) * BOUND_X))
  const color = ink(status === 'missed' ? 'error' : 'service')
  const whiskers =
    measured.low === null || measured.high === null
      ? null
      : html`<path d="M${x(measured.low)} 7H${x(measured.high)}" stroke="${ink('ink')}" />`
  const percent = Math.round((measured.value / bound) * 100)
  const name = `${percent} % of the bound, which is ${operator === '<' || operator === '<=' ? 'an upper' : 'a lower'} one`
  return html`<svg
    class="margin"
    viewBox="0 0 ${BAR.width} ${BAR.height}"
    role="img"
    aria-label="${name}"
  >
    <rect x="0" y="4" width="${Math.max(1.5, x(measured.value))}" height="6" fill="${color}" />
    ${whiskers}
    <path d="M${BOUND_X} 0V14" stroke="${ink('ink')}" stroke-width="2" />
  </svg>`
}

/** The page's title in a browser's tab. */
export function pageTitle(document: ResultDocument): string {
  const { word, sign } = VERDICTS[document.verdict.outcome]
  return `${sign} ${word} ${document.run.scenario}, ${formatMs(document.run.durationMs)}`
}
