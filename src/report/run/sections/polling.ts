/** What polling cost: polls against duration, and the detection delay. */
import type { ResultDocument } from '../../../result/document.ts'
import type { Chart } from '../../charts/chart.ts'
import { bucketTable, histogram } from '../../charts/histogram.ts'
import { formatMs, formatValue, plural } from '../../../base/numbers.ts'
import { plainText } from '../../frame/format.ts'
import type { Fact } from '../../frame/report.ts'
import { numberIn } from '../summary.ts'
import { sentencesOf } from './section.ts'
import type { RunSection } from './section.ts'

export const POLLING: RunSection = {
  chapter: 'The cost of polling',
  title: null,
  blocks: (document) => [
    { kind: 'figure', chart: pollingChart(document) },
    {
      kind: 'prose',
      as: 'advice',
      text: plainText(document.polling.advice ?? '', 400),
      on: ['page'],
    },
    ...sentencesOf(pollingFacts(document)),
  ],
  facts: pollingFacts,
}

function pollingChart(document: ResultDocument): Chart {
  const delay = document.distributions['detectionDelay']
  const { detectionSource: source, points } = document.polling
  const marks = points.map(({ executionMs, polls }) => {
    const tip = `${formatMs(executionMs)}, ${plural(polls, 'poll')}`
    return { x: executionMs, y: polls, low: null, high: null, tip }
  })
  return {
    id: 'polling',
    finding: finding(document),
    caption:
      'First, one point per execution, by its duration and its number of polls. Then ' +
      'the detection delays' +
      (source === 'ledger'
        ? ', from the ledger’s true end.'
        : ', as an upper bound: from the last poll that saw no end to the first that saw it.'),
    x: { title: '', kind: 'duration', log: false },
    panels: [
      {
        y: { title: 'Polls by duration of the execution', kind: 'count' },
        height: { narrow: 180, wide: 180 },
        lines: [],
        points: [{ color: 'endToEnd', shape: 'grain', points: marks }],
      },
    ],
    beside: [histogram('Executions by delay', delay)],
    table: [bucketTable(delay)],
  }
}

function finding(document: ResultDocument): string {
  const perExecution = numberIn(document, 'polls.perExecution')
  const wastedShare = numberIn(document, 'polls.wastedShare')
  if (perExecution === null) return 'Nothing was polled'
  const polls = pollsAnExecution(perExecution)
  return wastedShare === null
    ? polls
    : `${polls}, and ${formatValue(wastedShare, 'share')} of them saw no change`
}

/**
 * Sums up polling:
 * `12.1 polls per execution; 11.1 saw no change; 62.0 % of requests reused a connection`.
 */
function pollingFacts(document: ResultDocument): Fact[] {
  const perExecution = numberIn(document, 'polls.perExecution')
  const wasted = numberIn(document, 'polls.wasted')
  const handshakeShare = numberIn(document, 'connections.handshakeShare')
  const parts = [
    perExecution === null ? 'no polls' : pollsAnExecution(perExecution),
    wasted === null ? null : `${formatValue(wasted, 'ratio')} saw no change`,
    handshakeShare === null
      ? null
      : `${formatValue(1 - handshakeShare, 'share')} of requests reused a connection`,
  ]
  return [{ name: 'Polling', text: parts.filter((part) => part !== null).join('; ') }]
}

function pollsAnExecution(count: number): string {
  return `${formatValue(count, 'ratio')} ${count === 1 ? 'poll' : 'polls'} per execution`
}
