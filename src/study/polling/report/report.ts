/**
 * A study of polling as people read it: the answer, the settings to paste, and what it rests on.
 */
import { formatMs, formatValue } from '../../../report/frame/format.ts'
import type { Block, TableCell, Fact, Report, Section } from '../../../report/frame/report.ts'
import { reasonText } from '../../../report/frame/report.ts'
import type { VerdictMark } from '../../frame/study.ts'
import {
  INCONCLUSIVE,
  INVALID,
  headlineOf,
  originOf,
  reportFiles,
  verdictCase,
} from '../../frame/study.ts'
import type { PollingDocument, Strategy } from '../document.ts'
import {
  costWords,
  delayWords,
  familyWords,
  lengthWords,
  pollsWords,
  simplerWords,
  sourceWords,
  trafficWords,
  wishWords,
} from './words.ts'
import { threeDigits } from '../../../base/units.ts'
import type { Chart, Mark, Panel, Points } from '../../../report/charts/chart.ts'
import type { Tick } from '../../../report/charts/ticks.ts'

export const POLLING_VERDICTS: Record<PollingDocument['verdict']['outcome'], VerdictMark> = {
  answered: { word: 'ANSWERED', sign: '✓', tone: 'good', exit: 'passed' },
  impossible: { word: 'IMPOSSIBLE', sign: '✗', tone: 'bad', exit: 'failed' },
  inconclusive: INCONCLUSIVE,
  invalid: INVALID,
  'target-lost': { word: 'TARGET LOST', sign: '✗', tone: 'bad', exit: 'unreachable' },
}

export function pollingReport(document: PollingDocument): Report {
  const { verdict, findings, command } = document
  const mark = POLLING_VERDICTS[verdict.outcome]
  return {
    title: 'polling',
    headline: headlineOf(mark, verdict.sentence),
    reasons: verdict.reasons.map(reasonText),
    findings,
    facts: facts(document),
    sections: [settings(document), compared(document), front(document), method(document)],
    files: reportFiles('polling'),
    command,
    origin: originOf(document, { engine: document.source.kind }),
    cases: [verdictCase('polling strategy', mark, verdict)],
  }
}

function facts(document: PollingDocument): Fact[] {
  const { recommended, source, wish } = document
  const lengths = lengthWords(source)
  return [
    { name: 'Goal', text: wishWords(wish) },
    { name: 'Learned from', text: sourceWords(document) },
    ...(lengths === null ? [] : [{ name: 'Executions', text: lengths }]),
    ...(recommended === null ? [] : [{ name: 'Poll traffic', text: trafficWords(recommended) }]),
  ]
}

/** The scenario's own block, and loops for clients. */
function settings({ recommended, simpler, wish, verdict }: PollingDocument): Section {
  if (recommended === null) return { title: 'Settings', blocks: [] }
  const blocks: Block[] = [
    ...pasted(recommended),
    ...(simpler === null
      ? []
      : [{ kind: 'prose' as const, text: `${simplerWords(simpler, wish)}:` }, ...pasted(simpler)]),
    fold('Loop in TypeScript', recommended.loops.typescript),
    fold('Loop in Python', recommended.loops.python),
  ]
  const isOpen = verdict.outcome === 'inconclusive' || verdict.outcome === 'invalid'
  const title = isOpen ? 'Best so far, which may change' : 'Settings for the scenario'
  return { title, blocks }
}

function pasted(strategy: Pick<Strategy, 'polling'>): Block[] {
  const block = scenarioBlock(strategy)
  return [
    { kind: 'verbatim', text: block },
    {
      kind: 'lines',
      lines: (_paint, width) => wrapped(block, width - 4).map((line) => `    ${line}`),
    },
  ]
}

function fold(title: string, text: string): Block {
  return { kind: 'fold', title, blocks: [{ kind: 'verbatim', text }] }
}

/** `polling: { fixed: '5s' },` */
function scenarioBlock({ polling }: Pick<Strategy, 'polling'>): string {
  return `polling: ${literal(polling)},`
}

function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, each]) => `${key}: ${literal(each)}`)
  return `{ ${entries.join(', ')} }`
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `  ${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Recommended, today's, the runner-up, and what the target asks for: a row each. */
function compared(document: PollingDocument): Section {
  const { recommended, current, runnerUp, simpler, retryAfter, wish } = document
  const isTwice = simpler !== null && simpler.words === runnerUp?.words
  const named: [string, Strategy | null][] = [
    ['recommended', recommended],
    ['today', current],
    [isTwice ? 'shorter' : 'runner-up', runnerUp],
    ['shorter', isTwice ? null : simpler],
    ['Retry-After', retryAfter],
  ]
  const hasCost = wish.pollPrice !== null
  const rows = named.flatMap(([name, strategy]): TableCell[][] =>
    strategy === null
      ? []
      : [
          [
            name,
            familyWords(strategy.family),
            pollsWords(strategy),
            delayWords(strategy, 'mean'),
            delayWords(strategy, 'p95'),
            ...(hasCost ? [costWords(strategy, wish)] : []),
            strategy.words,
          ],
        ],
  )
  const columns = [
    { title: 'choice' },
    { title: 'strategy', on: ['page', 'markdown'] as const },
    { title: 'polls', kind: 'number' as const },
    { title: 'delay, mean', kind: 'number' as const },
    { title: 'delay, p95', kind: 'number' as const },
    ...(hasCost ? [{ title: 'cost', kind: 'number' as const }] : []),
    { title: 'intervals', on: ['page', 'markdown'] as const },
  ]
  return {
    title: 'Strategies compared, per execution (95 % band)',
    blocks: [
      { kind: 'table', columns, rows, empty: null, stacks: true },
      { kind: 'facts', on: ['terminal'], facts: named.flatMap(nameOf) },
    ],
  }
}

/** What a terminal has no room for in the table; the headline tells the recommended strategy. */
function nameOf([name, strategy]: readonly [string, Strategy | null]): Fact[] {
  if (strategy === null || name === 'recommended') return []
  return [{ name, text: `${familyWords(strategy.family)}: ${strategy.words}` }]
}

function front(document: PollingDocument): Section {
  const chart = frontChart(document)
  return { title: 'Polls against delay', blocks: chart === null ? [] : [{ kind: 'figure', chart }] }
}

function method({ source, recommended }: PollingDocument): Section {
  const { blockExecutions, requestMs } = source
  const fresh = recommended?.freshShare ?? null
  const told = [
    requestMs === null ? '' : ` A poll takes ${formatMs(requestMs)} in the median.`,
    blockExecutions === null || blockExecutions === 1
      ? ''
      : ' Executions that follow each other take similar times: the bands are made from blocks ' +
        `of ${blockExecutions}.`,
    fresh === null
      ? ''
      : ` Of the recommended polls, ${formatValue(fresh, 'share')} open a connection.`,
  ].join('')
  return {
    title: 'How it was found',
    blocks: [
      {
        kind: 'prose',
        on: ['page'],
        text:
          'Every recorded execution was replayed under every strategy, with the intervals that ' +
          'the engine itself uses and with request times as they were measured. ' +
          'Below 1,000 executions, strategies that are fitted to the recorded ends are judged by ' +
          'executions that they were not fitted to; from 1,000 on, by all of them, and their mean ' +
          'delay is corrected by what such executions tell. ' +
          `Bands are bootstrap intervals of 95 %.${told}`,
      },
    ],
  }
}

type DelayStatistic = 'mean' | 'p95'

/**
 * The front as a figure: detection delay against polls, for the mean and for the 95th percentile.
 *
 * Null where there is no front to show.
 */
function frontChart(document: PollingDocument): Chart | null {
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

function panel({ front, recommended, current }: PollingDocument, statistic: DelayStatistic): Panel {
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

function marks(strategies: readonly Strategy[], statistic: DelayStatistic, hollow = false): Mark[] {
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
