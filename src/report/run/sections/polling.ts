/** What polling cost: polls against duration, and the detection delay. */
import type { PollingAdvice, ResultDocument } from '../../../result/document.ts'
import type { Chart } from '../../charts/chart.ts'
import { bucketTable, histogram } from '../../charts/histogram.ts'
import {
  formatMs,
  formatShare,
  formatValue,
  plural,
  threeDigits,
  withDecimals,
  inNumber,
} from '../../../base/numbers.ts'
import { unreachable } from '../../../base/assert.ts'
import { formatPart } from '../../../result/metrics/sentences.ts'
import { sharedWords } from '../../../result/ledger/shared-waits.ts'
import type { Fact } from '../../frame/report.ts'
import { metricValueIn } from '../summary.ts'
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
      text: adviceWords(document),
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
    heading: heading(document),
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

function heading(document: ResultDocument): string {
  const perExecution = metricValueIn(document, 'polls.perExecution')
  const wastedShare = metricValueIn(document, 'polls.wastedShare')
  if (perExecution === null) return 'Nothing was polled'
  const polls = pollsAnExecution(perExecution)
  return wastedShare === null
    ? polls
    : `${polls}, and ${formatValue(wastedShare, 'share')} of them saw no change`
}

/** Empty where nothing is known. */
function adviceWords(document: ResultDocument): string {
  const { advice, detectionSource } = document.polling
  if (advice === null) return ''
  if (advice.code !== 'interval') {
    return `This run is no guide to a polling interval, because ${whyWords(advice, document)}.`
  }
  const { pollCostsMs, executionMs, bestMs, polls, delayMs } = advice
  const price = formatMs(pollCostsMs)
  const bound = detectionSource === 'ledger' ? '' : 'at most '
  return (
    `Executions take ${formatMs(executionMs)} on average. If a poll costs ${price} of waiting, ` +
    `the best constant interval is ${formatMs(bestMs)} = sqrt(2 x ${price} x ` +
    `${formatMs(executionMs)}). It takes ${threeDigits(executionMs / bestMs + 0.5)} polls and a ` +
    `detection delay of ${formatMs(bestMs / 2)}, compared with ${threeDigits(polls)} polls and ` +
    `${bound}${formatMs(delayMs)} now.`
  )
}

function whyWords(
  why: Exclude<PollingAdvice, { code: 'interval' }>,
  { sharedWaits }: ResultDocument,
): string {
  switch (why.code) {
    case 'overloaded':
      return 'the crew is overloaded, and executions wait'
    case 'waits': {
      const more = why.for === 'shared' ? ` or ${sharedWords(sharedWaits!)}` : ''
      return `executions spend ${formatShare(why.share)} of their time waiting for a worker${more}`
    }
    case 'unserved':
      return `${formatPart(why.count, why.of)} were not served`
    case 'growing':
      return (
        `executions of its second half take ${withDecimals(why.factor, 1)} times as long as in its ` +
        'first'
      )
    default:
      return unreachable(why)
  }
}

/**
 * Sums up polling:
 * `12.1 polls per execution; 11.1 saw no change; 62.0 % of requests reused a connection`.
 */
function pollingFacts(document: ResultDocument): Fact[] {
  const perExecution = metricValueIn(document, 'polls.perExecution')
  const wasted = metricValueIn(document, 'polls.wasted')
  const handshakeShare = metricValueIn(document, 'connections.handshakeShare')
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
  return `${formatValue(count, 'ratio')} ${inNumber(count, 'poll', 'polls')} per execution`
}
