/** Every metric and distribution as a table, and the plan with every default filled in. */
import type { Metric, ResultDocument } from '../../../result/document.ts'
import { formatCount, formatInterval, formatOptionalMs, NOTHING } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/sentences.ts'
import { plainText } from '../../text/format.ts'
import type { Block } from '../../frame/report.ts'
import { columnsOf, pageTable } from '../../text/table.ts'
import type { RunSection } from './section.ts'

export const NUMBERS: RunSection = {
  chapter: 'All numbers',
  title: null,
  blocks: (document) => [
    {
      kind: 'prose',
      as: 'heading',
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

const NOTHING_MEASURED = 'Nothing was measured.'

function metricTable(metrics: Record<string, Metric>): Block {
  return pageTable(
    columnsOf(['metric'], ['value', '95 % interval', 'samples']),
    Object.entries(metrics).map(([name, metric]) => [
      plainText(name),
      formatMetric(metric),
      formatInterval(metric, metric.unit) ?? NOTHING,
      formatCount(metric.n),
    ]),
    NOTHING_MEASURED,
  )
}

function distributionTable({ distributions }: ResultDocument): Block {
  return pageTable(
    columnsOf(['distribution'], ['samples', 'unfinished', 'never', 'least', 'mean', 'most']),
    Object.entries(distributions).map(([name, { n, censored, never, min, mean, max }]) =>
      [plainText(name)].concat(
        [n, censored, never].map((count) => formatCount(count)),
        [min, mean, max].map((ms) => formatOptionalMs(ms)),
      ),
    ),
    NOTHING_MEASURED,
  )
}
