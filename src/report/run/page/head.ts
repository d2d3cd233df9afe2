/** Section 1: the verdict, whether it can be trusted, what was run, and the thresholds. */
import { timeNotes } from '../time-notes.ts'
import type { Finding, ResultDocument } from '../../../result/document.ts'
import { formatMs, plural } from '../../frame/format.ts'
import {
  engineWords,
  extentWords,
  otherReasons,
  startWords,
  thresholdSummary,
  verdictSign,
  verdictWord,
} from '../summary.ts'
import { reasonText } from '../../frame/report.ts'
import { findingBox } from '../../frame/findings.ts'
import { judgementSentences } from '../judgement-words.ts'
import { coded, html, tied } from '../../frame/markup.ts'
import type { Content, Markup } from '../../frame/markup.ts'
import { firstSentence } from '../../frame/render/page.ts'
import { factList } from '../../frame/html-document.ts'
import { fold } from '../../frame/table.ts'
import { spentFacts } from '../sections/numbers/spent.ts'
import { thresholdTable } from './thresholds.ts'

const TONES = {
  passed: 'good',
  failed: 'bad',
  invalid: 'bad',
  inconclusive: 'doubt',
  unreachable: 'bad',
} as const

export function renderHead(document: ResultDocument): Markup {
  const reasons = otherReasons(document)
  const { description } = document.run
  return html`<header>
    ${verdictSentence(document)} ${verdictLine(document)}
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
    ${description === '' ? null : html`<p class="about">${coded(description)}</p>`}
    ${timeNotes(document).map((note) => html`<p class="about">${note}</p>`)} ${runFacts(document)}
  </header> `
}

/** The sentence with its sign; its first word has the colour of the verdict. */
function verdictSentence({ verdict }: ResultDocument): Markup {
  const tone = verdict.problems > 0 ? 'doubt' : TONES[verdict.outcome]
  const [, word = '', rest = ''] = /^([^.]+\.?)(.*)$/s.exec(verdict.sentence) ?? []
  const [first, more] = firstSentence(rest.trimStart())
  return html`<h1><span class="${tone}">${verdictSign(verdict)} ${word}</span> ${tied(first)}</h1>
    ${more === '' ? null : html`<p class="lede">${tied(more)}</p>`}`
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

/** Only the most important findings are shown at once, so that the page stays readable. */
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
    ...(run.proxy === undefined ? [] : [['Proxy', run.proxy] as [string, string]]),
    ['Extent', extentWords(document)],
    ...spentFacts(document).map(({ name, text }): [string, string] => [name, text]),
    ['Started', startWords(document)],
    ['Engine', `${engineWords(document)}, seed ${run.seed}`],
    ['crewload', `${document.crewload}${run.node === null ? '' : ` on Node ${run.node}`}`],
    ...(typeof run.machine === 'string' ? [['Machine', run.machine] as [string, string]] : []),
    ['Dialect', run.dialect ?? 'unknown'],
    ...(document.warmUpArrivals > 0
      ? [
          ['Warm-up', `${plural(document.warmUpArrivals, 'arrival')}, not counted`] as [
            string,
            string,
          ],
        ]
      : []),
  ]
  return factList(facts)
}

/** The page's title in a browser's tab. */
export function pageTitle(document: ResultDocument): string {
  const { verdict } = document
  return (
    `${verdictSign(verdict)} ${verdictWord(verdict)} ${document.run.scenario}, ` +
    formatMs(document.run.durationMs)
  )
}
