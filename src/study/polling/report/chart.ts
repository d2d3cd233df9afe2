/**
 * The front as a figure: detection delay against polls, for the mean and for the 95th percentile.
 */
import { threeDigits } from '../../../base/units.ts'
import type { Chart, Mark, Panel, Points } from '../../../report/charts/chart.ts'
import type { Tick } from '../../../report/charts/ticks.ts'
import { formatMs } from '../../../report/frame/format.ts'
import type { PollingDocument, Strategy } from '../document.ts'
import { delayWords, familyWords, pollsWords } from './words.ts'

type Statistic = 'mean' | 'p95'

/** Null where there is no front to show. */
export function frontChart(document: PollingDocument): Chart | null {
  const { front } = document
  if (front.length < 2) return null
  return {
    id: 'front',
    finding: finding(document),
    caption:
      'Each point is a strategy that no other beats in polls and in mean delay at once; ' +
      `whiskers are 95 % bands. ${markWords(document)}`,
    x: { title: 'polls per execution', kind: 'count', log: true, ticks: ticksFor(front) },
    panels: [panel(document, 'mean'), panel(document, 'p95')],
    table: {
      columns: ['polls per execution', 'strategy', 'delay, mean', 'delay, p95'],
      rows: front.map((each) => [
        pollsWords(each),
        `${familyWords(each.family)}: ${each.words}`,
        delayWords(each, 'mean'),
        delayWords(each, 'p95'),
      ]),
    },
  }
}

const ROUND = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

function ticksFor(front: readonly Strategy[]): Tick[] {
  const shown = front.map(({ pollsPerExecution }) => pollsPerExecution.value)
  const [least, most] = [Math.min(...shown), Math.max(...shown)]
  return ROUND.filter((value) => value >= least && value <= most).map((value) => {
    return { value, label: String(value) }
  })
}

function finding({ recommended, current, front }: PollingDocument): string {
  if (recommended?.detectionDelayMs == null) return `${front.length} strategies on the front`
  const own =
    `${polls(recommended)} polls for a mean delay of ` + formatMs(recommended.detectionDelayMs.mean)
  if (current?.detectionDelayMs == null) return own
  return `${own}; today ${polls(current)} for ${formatMs(current.detectionDelayMs.mean)}`
}

function polls({ pollsPerExecution: { value } }: Strategy): string {
  return threeDigits(value)
}

function panel({ front, recommended, current }: PollingDocument, statistic: Statistic): Panel {
  const own = recommended === null ? [] : marks([recommended], statistic)
  const today = current === null ? [] : marks([current], statistic, true)
  const points: Points[] = [
    { color: 'endToEnd', points: marks(front, statistic) },
    { color: 'error', points: today },
    { color: 'good', shape: 'diamond', points: own },
  ]
  return {
    y: { title: `Detection delay, ${statistic}`, kind: 'duration' },
    height: { narrow: 220, wide: 260 },
    lines: [
      {
        name: 'front',
        color: 'grey',
        dash: '',
        unnamed: true,
        points: marks(front, statistic).map(({ x, y }) => ({ x, y })),
      },
    ],
    points,
  }
}

function marks(strategies: readonly Strategy[], statistic: Statistic, hollow = false): Mark[] {
  return strategies.flatMap((strategy) => {
    const { pollsPerExecution, detectionDelayMs: delay } = strategy
    if (delay === null) return []
    const [low, high] =
      statistic === 'mean' ? [delay.meanLow, delay.meanHigh] : [delay.low, delay.high]
    const tip =
      `${familyWords(strategy.family)}, ${strategy.words}: ` +
      `${threeDigits(pollsPerExecution.value)} polls, ${formatMs(delay[statistic])}`
    return [{ x: pollsPerExecution.value, y: delay[statistic], low, high, hollow, tip }]
  })
}

function markWords({ recommended, current }: PollingDocument): string {
  const marks = [
    recommended === null ? [] : 'the recommended strategy is the green diamond',
    current === null ? [] : 'today’s the hollow orange circle',
  ].flat()
  const text = marks.join(', ')
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`
}
