/** What polling cost: polls against duration, and the detection delay. */
import { scaleLinear } from 'd3-scale'
import type { DistributionResult, ResultDocument } from '../../../result/document.ts'
import { formatMs, formatValue, plainText, plural } from '../../frame/format.ts'
import type { FigureParts, Picture } from '../../charts/figure.ts'
import { bucketTable, histogram } from '../../charts/histogram.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { ink } from '../../charts/palette.ts'
import { bottomAxis, leftAxis, panelTitle, round } from '../../charts/plot.ts'
import type { Rect } from '../../charts/plot.ts'
import { countTicks, linearDurationTicks } from '../../charts/ticks.ts'
import type { RunSection } from './section.ts'

export const POLLING: RunSection = {
  chapter: 'The cost of polling',
  title: null,
  blocks: (document) => [
    { kind: 'drawing', figure: pollingFigure(document) },
    {
      kind: 'prose',
      as: 'advice',
      text: plainText(document.polling.advice ?? '', 400),
      on: ['page'],
    },
    { kind: 'prose', text: `${pollingSentence(document)}.`, on: ['page'] },
  ],
  facts: (document) => [{ name: 'Polling', text: pollingSentence(document) }],
}

function pollingFigure(document: ResultDocument): FigureParts {
  const delay = document.distributions['detectionDelay']
  const source = document.polling.detectionSource
  return {
    id: 'polling',
    heading: finding(document),
    caption:
      'First, one point per execution, by its duration and its number of polls. Then ' +
      'the detection delays' +
      (source === 'ledger'
        ? ', from the ledger’s true end.'
        : ', as an upper bound: from the last poll that saw no end to the first that saw it.'),
    alternative: pollingSentence(document),
    draw: (width) => draw(document, delay, width),
    table: bucketTable(delay),
  }
}

function finding({ polling }: ResultDocument): string {
  const { perExecution, wastedShare } = polling
  if (perExecution === null) return 'Nothing was polled'
  const polls = pollsAnExecution(perExecution)
  return wastedShare === null
    ? polls
    : `${polls}, and ${formatValue(wastedShare, 'share')} of them saw no change`
}

const HEIGHT = 260
/** Room for the labels of a vertical axis. */
const LEFT = 52

function draw(
  document: ResultDocument,
  delay: DistributionResult | undefined,
  width: number,
): Picture {
  const beside = width >= 600
  const half = beside ? width / 2 : width
  const first: Rect = { left: LEFT, top: 34, right: half - (beside ? 24 : 12), bottom: HEIGHT - 30 }
  const second: Rect = beside
    ? { ...first, left: half + LEFT, right: width - 12 }
    : { ...first, top: first.top + HEIGHT, bottom: first.bottom + HEIGHT }
  const { points } = document.polling
  return {
    height: beside ? HEIGHT : 2 * HEIGHT,
    body: [drawPoints(points, first), drawDelays(delay, second)],
  }
}

function drawPoints(points: ResultDocument['polling']['points'], rect: Rect): Markup {
  const title = panelTitle(
    { ...rect, left: rect.left - LEFT },
    'Polls by duration of the execution',
  )
  if (points.length === 0) return html`${title}${nothing(rect)}`
  const longest = Math.max(...points.map(({ executionMs }) => executionMs), 1)
  const most = Math.max(...points.map(({ polls }) => polls), 1)
  const x = scaleLinear([0, longest * 1.04], [rect.left, rect.right])
  const y = scaleLinear([0, most * 1.08], [rect.bottom, rect.top])
  const marks = points.map(
    ({ executionMs, polls }) =>
      html`<circle
        cx="${round(x(executionMs))}"
        cy="${round(y(polls))}"
        r="3"
        fill="${ink('endToEnd')}"
        fill-opacity="0.4"
        data-tip="${formatMs(executionMs)}, ${plural(polls, 'poll')}"
      />`,
  )
  const left = leftAxis(rect, countTicks(most, 5), y)
  const bottom = bottomAxis(rect, linearDurationTicks(longest * 1.04, 5), x)
  return html`${title}${left}${bottom}${marks}`
}

function drawDelays(delay: DistributionResult | undefined, rect: Rect): Markup {
  const title = panelTitle({ ...rect, left: rect.left - LEFT }, 'Executions by detection delay')
  const isEmpty = delay === undefined || delay.buckets.length === 0
  return html`${title}${isEmpty ? nothing(rect) : histogram(delay, rect)}`
}

function nothing(rect: Rect): Markup {
  return html`<text class="quiet" x="${rect.left}" y="${rect.top + 20}"
    >Nothing was measured.</text
  >`
}

/**
 * Sums up polling:
 * `12.1 polls per execution; 11.1 saw no change; 62.0 % of requests reused a connection`.
 */
function pollingSentence(document: ResultDocument): string {
  const { perExecution, wastedPerExecution } = document.polling
  const share = document.generator.handshakeShare
  const polls =
    perExecution === null
      ? 'no polls'
      : pollsAnExecution(perExecution) +
        (wastedPerExecution === null
          ? ''
          : `; ${formatValue(wastedPerExecution, 'ratio')} saw no change`)
  const connections =
    share === null ? '' : `; ${formatValue(1 - share, 'share')} of requests reused a connection`
  return polls + connections
}

function pollsAnExecution(count: number): string {
  return `${formatValue(count, 'ratio')} ${count === 1 ? 'poll' : 'polls'} per execution`
}
