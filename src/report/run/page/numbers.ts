/**
 * Section 8: all numbers, the plan, the files beside this one, and the command that repeats the
 * run.
 */
import type { Metric, ResultDocument } from '../../../analysis/document.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  formatOptionalMs,
  NOTHING,
  plainText,
} from '../../frame/format.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { commandLine, filesBeside } from '../../frame/page.ts'
import { fold, table } from '../../frame/table.ts'

export function renderNumbers(document: ResultDocument): Markup {
  const tags = Object.entries(document.tags)
  return html`<h3>
      ${formatCount(Object.keys(document.metrics).length)} metrics, any of which can be a threshold
    </h3>
    ${fold('Metrics', metricTable(document.metrics))}
    ${fold('Distributions', distributionTable(document))}
    ${tags.map(([tag, metrics]) => fold(`Metrics of ${plainText(tag)}`, metricTable(metrics)))}
    ${fold('The plan, every default filled in', html`<pre>${JSON.stringify(document.plan, null, 2) ?? ''}</pre>`)}
    ${filesBeside([
      ...FILES,
      ...(document.ledger === null ? [] : LEDGER_FILES),
      ...(document.faults === null ? [] : FAULT_FILES),
    ])}
    ${
      document.run.command === null
        ? null
        : html`<h4>Run it again</h4>
            ${commandLine(document.run.command)}`
    }`
}

const FILES = [
  ['result.json', 'every number shown here, with its HDR histograms'],
  ['executions.ndjson', 'the journal: one line an event, with the record of each execution'],
  ['histograms.hlog', 'the histograms, as other HDR tools read them'],
  ['summary.md', 'the short form for a pull request'],
  ['junit.xml', 'one test case a gate, for CI servers'],
] as const

/** Only where the target keeps a ledger. */
const LEDGER_FILES = [
  ['ledger.ndjson', 'the fake crew’s own account: one line an execution'],
  ['clock.json', 'how the fake crew’s clock maps to this run’s, and how surely'],
] as const

const FAULT_FILES = [
  ['faults.json', 'when each fault of the fake crew was on, and what it touched'],
] as const

function metricTable(metrics: Record<string, Metric>): Markup {
  return table(
    [
      { title: 'metric' },
      { title: 'value', kind: 'number' },
      { title: '95 % interval', kind: 'number' },
      { title: 'samples', kind: 'number' },
    ],
    Object.entries(metrics).map(([name, metric]) => [
      plainText(name),
      formatMetric(metric),
      formatInterval(metric) ?? NOTHING,
      formatCount(metric.n),
    ]),
    'Nothing was measured.',
  )
}

function distributionTable({ distributions }: ResultDocument): Markup {
  return table(
    [
      { title: 'distribution' },
      { title: 'samples', kind: 'number' },
      { title: 'unfinished', kind: 'number' },
      { title: 'never', kind: 'number' },
      { title: 'least', kind: 'number' },
      { title: 'mean', kind: 'number' },
      { title: 'most', kind: 'number' },
    ],
    Object.entries(distributions).map(([name, each]) => [
      plainText(name),
      formatCount(each.n),
      formatCount(each.censored),
      formatCount(each.never),
      formatOptionalMs(each.min),
      formatOptionalMs(each.mean),
      formatOptionalMs(each.max),
    ]),
    'Nothing was measured.',
  )
}
