/**
 * Section 5: what polling cost: polls against duration, and how late clients learned of the end.
 */
import { scaleLinear, scaleLog } from 'd3-scale'
import type { DistributionResult, ResultDocument } from '../../../analysis/document.ts'
import { formatCount, formatMs, formatValue, plainText, plural } from '../../frame/format.ts'
import { pollingSentence, pollsAnExecution } from '../summary.ts'
import { clockCaption } from '../time-notes.ts'
import { figure } from '../../charts/figure.ts'
import type { Picture } from '../../charts/figure.ts'
import { textWidth } from '../../charts/labels.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { ink } from '../../charts/palette.ts'
import { bar, bottomAxis, leftAxis, panelTitle, round } from '../../charts/plot.ts'
import type { Rect } from '../../charts/plot.ts'
import { table } from '../../frame/table.ts'
import { countTicks, durationTicks, linearDurationTicks } from '../../charts/ticks.ts'

export function renderPolling(document: ResultDocument): Markup {
  const delay = document.distributions['detectionDelay']
  const source = document.polling.detectionSource
  const advice = document.polling.advice
  return html`${figure({
      id: 'polling',
      heading: finding(document),
      caption:
        'Left or first: one point an execution, how long it took and how many polls it cost. Then how long the end stayed unnoticed' +
        (source === 'ledger'
          ? ', by the ledger’s true end.'
          : ', at most: from the last poll that said not done to the first that said done.') +
        clockCaption(document),
      alternative: pollingSentence(document),
      draw: (width) => draw(document, delay, width),
      table: bucketTable(delay),
    })}
    ${advice === null ? null : html`<p class="advice">${plainText(advice, 400)}</p>`}
    <p>${pollingSentence(document)}.</p>`
}

function finding({ polling }: ResultDocument): string {
  const { perExecution, wastedShare } = polling
  if (perExecution === null) return 'Nothing was polled'
  const polls = pollsAnExecution(perExecution)
  return wastedShare === null
    ? polls
    : `${polls}, and ${formatValue(wastedShare, 'share')} of them told nothing new`
}

const HEIGHT = 260

function draw(
  document: ResultDocument,
  delay: DistributionResult | undefined,
  width: number,
): Picture {
  const beside = width >= 600
  const half = beside ? width / 2 : width
  const first: Rect = { left: 44, top: 34, right: half - (beside ? 24 : 12), bottom: HEIGHT - 30 }
  const second: Rect = beside
    ? { ...first, left: half + 44, right: width - 12 }
    : { ...first, top: first.top + HEIGHT, bottom: first.bottom + HEIGHT }
  const { points } = document.polling
  return {
    height: beside ? HEIGHT : 2 * HEIGHT,
    body: [drawPoints(points, first), drawDelays(delay, second)],
  }
}

function drawPoints(points: ResultDocument['polling']['points'], rect: Rect): Markup {
  const title = panelTitle({ ...rect, left: rect.left - 44 }, 'Polls by duration of the execution')
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
  return html`${title}${leftAxis(rect, countTicks(most, 5), y)}${bottomAxis(rect, linearDurationTicks(longest * 1.04, 5), x)}${marks}`
}

function drawDelays(delay: DistributionResult | undefined, rect: Rect): Markup {
  const title = panelTitle({ ...rect, left: rect.left - 44 }, 'Executions by detection delay')
  return html`${title}${delay === undefined || delay.buckets.length === 0 ? nothing(rect) : histogram(delay, rect)}`
}

/** A distribution's buckets on a log axis of time, with marks at its median and 95th percentile. */
export function histogram(distribution: DistributionResult, rect: Rect): Markup {
  const { buckets, quantiles } = distribution
  const positive = buckets.filter(({ to }) => to > 0)
  const from = Math.max(0.001, positive[0]?.from ?? 0.001)
  const to = Math.max(from * 1.5, positive.at(-1)?.to ?? 1)
  const most = Math.max(...buckets.map(({ count }) => count), 1)
  const log = scaleLog([from, to], [rect.left, rect.right])
  const x = (ms: number): number => log(Math.min(to, Math.max(from, ms)))
  const y = scaleLinear([0, most * 1.35], [rect.bottom, rect.top])
  const bars = buckets.map((bucket) => {
    const tip = `${formatMs(bucket.from)} to ${formatMs(bucket.to)}: ${formatCount(bucket.count)}`
    const cell = {
      left: x(bucket.from),
      right: Math.max(x(bucket.from) + 1, x(bucket.to) - 1),
      top: y(bucket.count),
      bottom: rect.bottom,
    }
    return bar(cell, 'endToEnd', { opacity: 0.7, tip })
  })
  const marks = [0.5, 0.95].map((level, row) => {
    const point = quantiles.find(({ q }) => q === level)
    if (point === undefined) return null
    const at = round(x(point.value))
    const text = `p${level * 100} ${formatMs(point.value)}`
    const fits = at + 5 + textWidth(text) <= rect.right + 8
    const anchor = level === 0.5 || !fits ? 'end' : 'start'
    const labelX = anchor === 'end' ? at - 5 : at + 5
    return html`<path
        d="M${at} ${rect.bottom}V${rect.top}"
        stroke="${ink('ink')}"
        stroke-dasharray="3 3"
      /><text class="halo" x="${labelX}" y="${rect.top + 10 + row * 17}" text-anchor="${anchor}"
        >${text}</text
      >`
  })
  const ticks = durationTicks(from, to, Math.max(3, Math.floor((rect.right - rect.left) / 64)))
  return html`${leftAxis(rect, countTicks(most * 1.35, 4), y)}${bottomAxis(rect, ticks, x)}${bars}${marks}`
}

function nothing(rect: Rect): Markup {
  return html`<text class="quiet" x="${rect.left}" y="${rect.top + 20}"
    >Nothing was measured.</text
  >`
}

export function bucketTable(distribution: DistributionResult | undefined): Markup {
  return table(
    [
      { title: 'from', kind: 'number' },
      { title: 'to', kind: 'number' },
      { title: 'count', kind: 'number' },
    ],
    (distribution?.buckets ?? []).map(({ from, to, count }) => [
      formatMs(from),
      formatMs(to),
      formatCount(count),
    ]),
    'Nothing was measured.',
  )
}
