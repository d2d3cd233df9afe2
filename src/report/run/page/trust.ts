/** Section 7: can we trust this: the generator's own health, each measure beside its bound. */
import type { GeneratorCheck, InstanceResult, ResultDocument } from '../../../analysis/document.ts'
import { formatBytes } from '../../../base/units.ts'
import {
  formatCount,
  formatMs,
  formatOptionalMs,
  formatValue,
  NOTHING,
  plainText,
} from '../../frame/format.ts'
import { figure } from '../../charts/figure.ts'
import { html, tied } from '../../frame/markup.ts'
import type { Content, Markup } from '../../frame/markup.ts'
import { factList } from '../../frame/page.ts'
import { panelTitle } from '../../charts/plot.ts'
import { bucketTable, histogram } from './polling.ts'
import { fold, table } from '../../frame/table.ts'

export function renderTrust(document: ResultDocument): Markup {
  const { lateness } = document.distributions
  return html`<h3>${tied(finding(document.generator.checks))}</h3>
    ${checkTable(document.generator.checks)} ${vitals(document)} ${instanceTable(document)}
    ${lateness === undefined || lateness.n === 0 ? null : latenessFigure(lateness)}`
}

function finding(checks: readonly GeneratorCheck[]): string {
  const measured = checks.filter(({ skipped }) => !skipped)
  const bad = measured.filter(({ ok }) => !ok)
  const skipped = checks.length - measured.length
  const unknown = skipped === 0 ? '' : `; ${skipped} could not be measured on this host`
  if (measured.length === 0) return 'Nothing is known of the generator’s health'
  return bad.length === 0
    ? `Yes: all ${measured.length} measures of the generator are within their bounds${unknown}`
    : `No: ${bad.map(({ name, measured: value, bound }) => `${plainText(name)} ${plainText(value)}, bound ${plainText(bound)}`).join('; ')}${unknown}`
}

function checkTable(checks: readonly GeneratorCheck[]): Markup {
  return table(
    [
      { title: '' },
      { title: 'measure' },
      { title: 'measured', kind: 'number' },
      { title: 'bound', kind: 'bound' },
      { title: 'what it means' },
    ],
    checks.map((check) => [
      sign(check),
      check.name,
      plainText(check.measured),
      plainText(check.bound),
      plainText(check.meaning),
    ]),
    undefined,
    'stack',
  )
}

function sign({ ok, skipped }: GeneratorCheck): Markup {
  if (skipped) return html`<span class="muted">– skipped</span>`
  return ok ? html`<span class="good">✓ ok</span>` : html`<span class="bad">✗ not ok</span>`
}

function vitals({ generator, distributions }: ResultDocument): Markup {
  const clamped = Object.values(distributions).reduce((sum, each) => sum + each.clamped, 0)
  const facts: [string, string][] = [
    ['Requests', formatCount(generator.requests)],
    [
      'Connections opened',
      generator.connectionsOpened === null ? NOTHING : formatCount(generator.connectionsOpened),
    ],
    [
      'Requests that opened one',
      generator.handshakeShare === null ? NOTHING : formatValue(generator.handshakeShare, 'share'),
    ],
    [
      'Event-loop use, mean',
      generator.utilisationMean === null
        ? NOTHING
        : formatValue(generator.utilisationMean, 'share'),
    ],
    [
      'Memory at its peak',
      generator.peakMemoryBytes === null ? NOTHING : formatBytes(generator.peakMemoryBytes),
    ],
    ['Confirmation polls', formatCount(generator.confirmations)],
    ['Samples clamped', formatCount(clamped)],
  ]
  return factList(facts)
}

/** Null for a single instance: what it did stands above. */
function instanceTable({ generator, run }: ResultDocument): Markup | null {
  if (run.instances === 1) return null
  const shown = generator.instances.length
  const all = formatCount(run.instances)
  const title =
    shown < run.instances
      ? `${formatCount(shown)} of ${all} instances, those that did not finish and the latest first`
      : `Each of ${all} instances, the latest first`
  const columns = [
    'began after',
    'arrivals ended',
    'most in flight',
    'lateness p99',
    'event loop',
    'memory',
  ]
  return fold(
    title,
    table(
      [
        { title: 'instance', kind: 'number' },
        { title: 'engine' },
        ...columns.map((name) => ({ title: name, kind: 'number' as const })),
        { title: 'finished' },
      ],
      generator.instances.map(instanceRow),
      'No line of any instance was read.',
    ),
  )
}

function instanceRow(instance: InstanceResult): Content[] {
  const { maxInFlight, utilisation, peakMemoryBytes } = instance
  return [
    formatCount(instance.instance),
    instance.engine ?? NOTHING,
    formatOptionalMs(instance.beganMs),
    formatCount(instance.ended),
    maxInFlight === null ? NOTHING : formatCount(maxInFlight),
    formatOptionalMs(instance.latenessP99Ms),
    utilisation === null ? NOTHING : formatValue(utilisation, 'share'),
    peakMemoryBytes === null ? NOTHING : formatBytes(peakMemoryBytes),
    instance.finished ? 'yes' : html`<span class="bad">✗ no</span>`,
  ]
}

function latenessFigure(lateness: ResultDocument['distributions'][string]): Markup {
  const p95 = lateness.quantiles.find(({ q }) => q === 0.95)
  const most = lateness.max === null ? '' : `, never more than ${formatMs(lateness.max)}`
  const heading =
    p95 === undefined
      ? `Requests left late by at most ${formatMs(lateness.max ?? 0)}`
      : `95 of 100 requests left within ${formatMs(p95.value)} of their time${most}`
  return figure({
    id: 'lateness',
    heading,
    caption:
      'Lateness, intended to sent, is the generator’s own fault: it is in no service time, and in every response time.',
    alternative: heading,
    draw: (width) => {
      const rect = { left: 52, top: 34, right: Math.min(width, 760) - 12, bottom: 190 }
      return {
        height: 222,
        body: [panelTitle({ ...rect, left: 0 }, 'Requests by lateness'), histogram(lateness, rect)],
      }
    },
    table: bucketTable(lateness),
  })
}
