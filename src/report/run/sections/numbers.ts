/** Every metric and distribution as a table, and the plan with every default filled in. */
import type { Metric, ResultDocument } from '../../../result/document.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  formatOptionalMs,
  NOTHING,
  plainText,
} from '../../frame/format.ts'
import type { Block } from '../../frame/report.ts'
import type { RunSection } from './section.ts'

export const NUMBERS: RunSection = {
  chapter: 'All numbers',
  title: null,
  blocks: (document) => [
    {
      kind: 'prose',
      as: 'finding',
      text:
        `${formatCount(Object.keys(document.metrics).length)} metrics; each can be ` +
        'used as a threshold',
      on: ['page'],
    },
    { kind: 'fold', title: 'Metrics', blocks: [metricTable(document.metrics)] },
    { kind: 'fold', title: 'Distributions', blocks: [distributionTable(document)] },
    ...Object.entries(document.tags).map(([tag, metrics]): Block => ({
      kind: 'fold',
      title: `Metrics of ${plainText(tag)}`,
      blocks: [metricTable(metrics)],
    })),
    {
      kind: 'fold',
      title: 'The plan with all defaults',
      blocks: [{ kind: 'verbatim', text: JSON.stringify(document.plan, null, 2) ?? '' }],
    },
  ],
}

function metricTable(metrics: Record<string, Metric>): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'metric' },
      { title: 'value', kind: 'number' },
      { title: '95 % interval', kind: 'number' },
      { title: 'samples', kind: 'number' },
    ],
    rows: Object.entries(metrics).map(([name, metric]) => [
      plainText(name),
      formatMetric(metric),
      formatInterval(metric) ?? NOTHING,
      formatCount(metric.n),
    ]),
    empty: 'Nothing was measured.',
  }
}

function distributionTable({ distributions }: ResultDocument): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'distribution' },
      { title: 'samples', kind: 'number' },
      { title: 'unfinished', kind: 'number' },
      { title: 'never', kind: 'number' },
      { title: 'least', kind: 'number' },
      { title: 'mean', kind: 'number' },
      { title: 'most', kind: 'number' },
    ],
    rows: Object.entries(distributions).map(([name, each]) => [
      plainText(name),
      formatCount(each.n),
      formatCount(each.censored),
      formatCount(each.never),
      formatOptionalMs(each.min),
      formatOptionalMs(each.mean),
      formatOptionalMs(each.max),
    ]),
    empty: 'Nothing was measured.',
  }
}
