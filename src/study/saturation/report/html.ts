/** `report.html` of a saturation: verdict, curve, what it feeds, whether to trust it, all numbers. */
import { ENDPOINTS } from '../document.ts'
import type { SaturationDocument } from '../document.ts'
import {
  formatCount,
  formatInstant,
  formatMetric,
  formatMs,
  plural,
} from '../../../report/frame/format.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { findingBox } from '../../../report/run/page/findings.ts'
import { html, tied } from '../../../report/frame/markup.ts'
import type { Section } from '../../../report/frame/page.ts'
import { commandLine, factList, filesBeside, page, section } from '../../../report/frame/page.ts'
import { table } from '../../../report/frame/table.ts'
import { reasonText } from '../../../report/run/summary.ts'
import { renderCurve } from './curve.ts'
import {
  extentSentence,
  feedRows,
  kneeSentence,
  rungRows,
  SATURATION_VERDICTS,
  targetWords,
} from './summary.ts'
import { renderSaturationTrust } from './trust.ts'

/** A whole HTML document: no address outside itself, every foreign text escaped, the same bytes for the same document. */
export function renderSaturationHtml(document: SaturationDocument): string {
  const { verdict, run } = document
  const { word, sign } = SATURATION_VERDICTS[verdict.outcome]
  const feeds = feedRows(document)
  const sections: Section[] = [
    section('How much it carries', renderCurve(document)),
    ...(feeds.length === 0 ? [] : [section('What that feeds', feedTable(document))]),
    section('Can we trust this', renderSaturationTrust(document)),
    section('All numbers', numbers(document)),
  ]
  return page({
    title: `${sign} ${word} saturate ${run.endpoint}`,
    description: verdict.sentence,
    head: head(document),
    sections,
    footer: `crewload ${document.crewload}, run ${run.id}`,
  })
}

const TONES = { measured: 'good', inconclusive: 'doubt', invalid: 'bad' } as const

function head(document: SaturationDocument): Markup {
  const { verdict, run } = document
  const { word, sign } = SATURATION_VERDICTS[verdict.outcome]
  const spoken = word.charAt(0) + word.slice(1).toLowerCase()
  return html`<header>
    <h1>
      <span class="${TONES[verdict.outcome]}">${sign} ${spoken}.</span> ${tied(verdict.sentence)}
    </h1>
    ${
      verdict.reasons.length === 0
        ? null
        : html`<ul class="reasons">
            ${verdict.reasons.map((reason) => html`<li>${tied(reasonText(reason))}</li>`)}
          </ul>`
    }
    ${document.findings.map(findingBox)}
    ${factList([
      ['Endpoint', ENDPOINTS[run.endpoint]],
      ['Target', targetWords(document)],
      ['Knee', kneeSentence(document) ?? 'not found'],
      ['Rungs', `${formatMs(run.rungMs)} each, after ${formatMs(run.warmUpMs)} of warm-up`],
      ['Extent', extentSentence(document)],
      ['Started', formatInstant(run.startedAt)],
      ['Generator', `autocannon, closed loop, on Node ${run.node}`],
    ])}
  </header> `
}

function feedTable(document: SaturationDocument): Markup {
  const rows = feedRows(document)
  const polled = document.run.endpoint === 'status'
  return html`<h3>${tied(feedHeading(document))}</h3>
    <p class="caption">${polled ? POLLED_NOTE : KICKED_OFF_NOTE}</p>
    ${
      rows.length < 2
        ? null
        : table(
            [{ title: 'polling' }, { title: 'carries' }],
            rows.map(({ interval, carries }) => [tied(interval ?? ''), carries]),
          )
    }`
}

const POLLED_NOTE =
  'Executions in flight = answers a second × polling interval. At the ceiling there is no room left for a burst, for kickoffs or for retries: plan for half of it.'
const KICKED_OFF_NOTE =
  'Kickoffs that the endpoint takes in; whether the crew behind it can run so many at once is another question.'

function feedHeading(document: SaturationDocument): string {
  const [first] = feedRows(document)
  if (first === undefined) return ''
  return first.interval === null
    ? `It takes in ${first.carries}`
    : `Polled ${first.interval} it carries ${first.carries}`
}

function numbers(document: SaturationDocument): Markup {
  const { run, ceiling, knee } = document
  return html`<h3>${plural(document.rungs.length, 'rung')}</h3>
    ${rungTable(document)}
    ${factList([
      ['Ceiling', ceiling === null ? 'not found' : ceilingWords(ceiling)],
      ['Knee, connections', knee === null ? 'not found' : formatCount(knee.connections)],
      ['Ladder', run.ladder.map(formatCount).join(', ')],
      ['Time-out', formatMs(run.timeoutMs)],
      ['Requests in all', formatCount(document.spent.requests)],
      ['Kickoffs in all', formatCount(document.spent.kickoffs)],
    ])}
    ${filesBeside([
      ['saturation.json', 'every number shown here'],
      ['summary.md', 'the short form for a pull request'],
    ])}
    ${
      run.command === null
        ? null
        : html`<h4>Run it again</h4>
            ${commandLine(run.command)}`
    }`
}

function ceilingWords({ throughput, connections }: NonNullable<SaturationDocument['ceiling']>) {
  return `${formatMetric(throughput)} with up to ${plural(connections, 'connection')}`
}

function rungTable(document: SaturationDocument): Markup {
  return table(
    [
      { title: 'connections', kind: 'number' },
      { title: '' },
      { title: 'good answers', kind: 'number' },
      { title: '95 % interval', kind: 'number' },
      { title: 'p50', kind: 'number' },
      { title: 'p95', kind: 'number' },
      { title: 'p99', kind: 'number' },
      { title: 'errors' },
    ],
    rungRows(document).map((row) => [
      row.connections,
      row.mark,
      row.throughput,
      row.interval,
      row.p50,
      row.p95,
      row.p99,
      row.errors,
    ]),
    'No rung came to its end.',
  )
}
