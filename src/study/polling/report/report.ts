/**
 * A study of polling as people read it: the answer, the settings to paste, and what it rests on.
 */
import { capital } from '../../../base/text.ts'
import { studyCrewText } from '../../frame/study-place.ts'
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatShare,
  formatValue,
  NOTHING,
  plural,
  threeDigits,
} from '../../../base/numbers.ts'
import type { Block, Fact, Section } from '../../../report/frame/report.ts'
import { figures, knownFacts, methodSection } from '../../../report/frame/report.ts'
import type { TableCell } from '../../../report/text/table.ts'
import { tableOf } from '../../../report/text/table.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, INVALID, originOf } from '../../frame/study.ts'
import type {
  Consequences,
  PollingDocument,
  PushAdvice,
  Source,
  Strategy,
  PollingGoal,
} from '../document.ts'
import type { Chart, Mark, Panel } from '../../../report/charts/chart.ts'
import type { Tick } from '../../../report/charts/ticks.ts'
import { FAMILIES } from '../analyse/families/list.ts'
import { minimised } from '../analyse/choice/goal.ts'
import { canonicalJson } from '../../../scenario/plan-data.ts'

export const POLLING_VERDICTS: Record<PollingDocument['verdict']['outcome'], VerdictMark> = {
  answered: { word: 'ANSWERED', sign: '✓', tone: 'good', exit: 'passed' },
  impossible: { word: 'IMPOSSIBLE', sign: '✗', tone: 'bad', exit: 'failed' },
  inconclusive: INCONCLUSIVE,
  invalid: INVALID,
  'target-lost': { word: 'TARGET LOST', sign: '✗', tone: 'bad', exit: 'unreachable' },
}

export function pollingBody(document: PollingDocument): ReportBody {
  return {
    asked: 'polling strategy',
    facts: facts(document),
    sections: [
      settings(document),
      compared(document),
      ...beside(document),
      { title: 'Polls against delay', blocks: figures(frontChart(document)) },
      method(document),
    ],
    origin: originOf(document, { engine: document.source.kind }),
  }
}

function facts(document: PollingDocument): Fact[] {
  const { recommended, source, goal } = document
  return knownFacts(
    ['Goal', goalWords(goal)],
    ['Learned from', sourceWords(document)],
    ['Executions', lengthWords(source)],
    ['Poll traffic', recommended && trafficWords(recommended)],
    ['Rate limit', goal.quota === null ? NO_QUOTA : null],
  )
}

const NO_QUOTA =
  'none was considered: give --max-polls RATE, or --limits FOLDER of a study by crewload limits'

/** The scenario's own block, and loops for clients. */
function settings({ recommended, simpler, goal, verdict }: PollingDocument): Section {
  if (recommended === null) return { title: 'Settings', blocks: [] }
  const blocks: Block[] = [
    ...pasted(recommended),
    ...(simpler === null
      ? []
      : [{ kind: 'prose' as const, text: `${simplerWords(simpler, goal)}:` }, ...pasted(simpler)]),
    fold('Loop in TypeScript', recommended.loops.typescript),
    fold('Loop in Python', recommended.loops.python),
  ]
  const isOpen = verdict.outcome === 'inconclusive' || verdict.outcome === 'invalid'
  const title = isOpen ? 'Best so far, which may change' : 'Settings for the scenario'
  return { title, blocks }
}

function pasted(strategy: Pick<Strategy, 'polling'>): Block[] {
  return [{ kind: 'verbatim', text: scenarioBlock(strategy), onTerminal: true }]
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

/** Recommended, today's, the runner-up, and what the target asks for: a row each. */
function compared(document: PollingDocument): Section {
  const { recommended, current, runnerUp, simpler, retryAfter, goal } = document
  const isTwice =
    simpler !== null && canonicalJson(simpler.polling) === canonicalJson(runnerUp?.polling ?? null)
  const named: [string, Strategy | null][] = [
    ['recommended', recommended],
    ['today', current],
    [isTwice ? 'shorter' : 'runner-up', runnerUp],
    ['shorter', isTwice ? null : simpler],
    ['Retry-After', retryAfter],
  ]
  const hasCost = goal.prices !== null
  const rows = named.flatMap(([name, strategy]): TableCell[][] => {
    if (strategy === null) return []
    const cost = hasCost ? [costWords(strategy, goal)] : []
    return [[name, familyWords(strategy.family), ...figureCells(strategy), ...cost, strategy.words]]
  })
  const figures = ['polls', 'delay, mean', 'delay, p95', ...(hasCost ? ['cost'] : [])]
  const columns = [
    { title: 'choice' },
    { title: 'strategy', on: ['page', 'markdown'] as const },
    ...figures.map((title) => ({ title, kind: 'number' as const })),
    { title: 'intervals', on: ['page', 'markdown'] as const },
  ]
  return {
    title: 'Strategies compared, per execution (95 % band)',
    blocks: [
      tableOf(columns, rows, { stacks: true }),
      { kind: 'facts', on: ['terminal'], facts: named.flatMap(nameOf) },
    ],
  }
}

/** Polls without pushes, pushes alone, and both: absent if the runs listened for none. */
function beside(document: PollingDocument): Section[] {
  const { pushes, recommended, goal } = document
  if (pushes === undefined) return []
  const { detectionDelayMs: delay, net, missedShare, pollsMissedShare } = pushes
  const hasCost = goal.prices !== null
  const row = (name: string, strategy: Strategy, missed: string): TableCell[] => {
    const cost = hasCost ? [costWords(strategy, goal)] : []
    return [name, ...figureCells(strategy), missed, ...cost]
  }
  const missed = shareBand(missedShare)
  const alone = delay === null ? [NOTHING, NOTHING] : delayCells(pushes)
  const rows: TableCell[][] = [
    ...(recommended === null
      ? []
      : [row('polls alone', recommended, formatShare(pollsMissedShare ?? 0))]),
    ['pushes alone', '0', ...alone, missed, ...(hasCost ? [NOTHING] : [])],
    ...(net === null ? [] : [row(`pushes, and a poll ${net.words}`, net, lateWords(pushes, net))]),
  ]
  const figures = [
    'polls',
    'delay, mean',
    'delay, p95',
    'ends missed',
    ...(hasCost ? ['cost'] : []),
  ]
  const columns = [
    { title: 'the end is known by' },
    ...figures.map((title) => ({ title, kind: 'number' as const })),
  ]
  return [
    {
      title: 'Polls, pushes, or both',
      blocks: [
        { kind: 'prose', text: pushWords(document, pushes) },
        tableOf(columns, rows, { stacks: true }),
        ...(net === null ? [] : pasted(net)),
      ],
    },
  ]
}

function shareBand(share: PushAdvice['missedShare']): string {
  return formatEstimate(share, 'share')
}

/** `0 %, 9.9 % late`: what no push reports, the net finds. */
function lateWords({ missedShare }: PushAdvice, net: NonNullable<PushAdvice['net']>): string {
  const late = Math.max(0, missedShare.value - net.missedShare)
  return `${formatShare(net.missedShare)}, ${formatShare(late)} late`
}

function pushWords(
  { source }: PollingDocument,
  { received, repeated, early, ends, missed, missedShare }: PushAdvice,
): string {
  const within = source.endKnownWithinMs
  return [
    `No push in time reported ${formatCount(missed)} of ${plural(ends, 'end')}: ` +
      `${shareBand(missedShare)}.`,
    early === 0 ? [] : `${plural(early, 'end')} had a push that came too early.`,
    repeated === 0 ? [] : `${formatCount(repeated)} of ${plural(received, 'report')} came again.`,
    source.truth === 'ledger' || within === null
      ? []
      : `Ends are known to within ${formatMs(within)}, so these delays are estimates.`,
    'After a lost push, a client without polls waits until its deadline.',
  ]
    .flat()
    .join(' ')
}

function figureCells(strategy: Strategy): string[] {
  return [pollsWords(strategy), ...delayCells(strategy)]
}

function delayCells(late: Pick<Strategy, 'detectionDelayMs'>): string[] {
  return [delayWords(late, 'mean'), delayWords(late, 'p95')]
}

/** `hazard schedule: every 5 s`. */
function strategyWords({ family, words }: Strategy): string {
  return `${familyWords(family)}: ${words}`
}

/** What a terminal has no room for in the table; the headline names the recommended strategy. */
function nameOf([name, strategy]: readonly [string, Strategy | null]): Fact[] {
  if (strategy === null || name === 'recommended') return []
  return [{ name, text: strategyWords(strategy) }]
}

const METHOD =
  'Every recorded execution was replayed under every strategy, with the intervals of the engine ' +
  'and the measured request times. Below 1,000 executions, strategies that are fitted to the ' +
  'recorded ends are judged by other executions. From 1,000 on, all executions judge them, and ' +
  'executions that they were not fitted to correct their mean delay. Bands are bootstrap intervals of 95 %.'

function method({ source, recommended }: PollingDocument): Section {
  const { blockExecutions, requestMs } = source
  const fresh = recommended?.freshShare ?? null
  const sentences = [
    requestMs === null ? '' : ` A poll takes ${formatMs(requestMs)} in the median.`,
    blockExecutions === null || blockExecutions === 1
      ? ''
      : ' Executions that follow each other take similar times: the bands are made from blocks ' +
        `of ${blockExecutions}.`,
    fresh === null
      ? ''
      : ` Of the recommended polls, ${formatValue(fresh, 'share')} open a connection.`,
  ].join('')
  return methodSection('How it was found', `${METHOD}${sentences}`)
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
    heading: heading(document),
    caption:
      'Each point is a strategy that no other beats in polls and in mean delay at once. ' +
      `Whiskers are 95 % bands. ${markWords(document)}`,
    x: { title: 'polls per execution', kind: 'count', log: true, ticks: ticksFor(front) },
    panels: [panel(document, 'mean'), panel(document, 'p95')],
    table: {
      columns: ['polls per execution', 'strategy', 'delay, mean', 'delay, p95'],
      rows: front.map((each) => figureCells(each).toSpliced(1, 0, strategyWords(each))),
    },
  }
}

const ROUND = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

function ticksFor(front: readonly Strategy[]): Tick[] {
  const shown = front.map(({ pollsPerExecution }) => pollsPerExecution.value)
  const [least, most] = [Math.min(...shown), Math.max(...shown)]
  const within = ROUND.filter((value) => value >= least && value <= most)
  return within.map((value) => ({ value, label: String(value) }))
}

function heading({ recommended, current, front }: PollingDocument): string {
  if (recommended?.detectionDelayMs == null) return `${front.length} strategies on the front`
  const own = pairWords(recommended, 'polls for a mean delay of')
  return current?.detectionDelayMs == null ? own : `${own}; today ${pairWords(current, 'for')}`
}

function pairWords({ pollsPerExecution, detectionDelayMs }: Strategy, between: string): string {
  return `${threeDigits(pollsPerExecution.value)} ${between} ${formatMs(detectionDelayMs!.mean)}`
}

function panel({ front, recommended, current }: PollingDocument, statistic: DelayStatistic): Panel {
  const shown = marks(front, statistic)
  const points = shown.map(({ x, y }) => ({ x, y }))
  return {
    y: { title: `Detection delay, ${statistic}`, kind: 'duration' },
    height: { narrow: 220, wide: 260 },
    lines: [{ name: 'front', color: 'grey', dash: '', unnamed: true, points }],
    points: [
      { color: 'endToEnd', points: shown },
      { color: 'error', points: current === null ? [] : marks([current], statistic, true) },
      {
        color: 'good',
        shape: 'diamond',
        points: recommended === null ? [] : marks([recommended], statistic),
      },
    ],
  }
}

function marks(strategies: readonly Strategy[], statistic: DelayStatistic, hollow = false): Mark[] {
  return strategies.flatMap((strategy) => {
    const { family, words, pollsPerExecution, detectionDelayMs: delay } = strategy
    if (delay === null) return []
    const [x, y] = [pollsPerExecution.value, delay[statistic]]
    const [low, high] = bandOf(delay, statistic)
    const tip = `${familyWords(family)}, ${words}: ${threeDigits(x)} polls, ${formatMs(y)}`
    return [{ x, y, low, high, hollow, tip }]
  })
}

function markWords({ recommended, current }: PollingDocument): string {
  const today = 'today’s the hollow orange circle'
  if (recommended === null) return current === null ? '' : `${capital(today)}.`
  const own = 'The recommended strategy is the green diamond'
  return current === null ? `${own}.` : `${own}, ${today}.`
}

/** What the report of a study of polling says in words. */
export function goalWords({ quota, promise, prices, given }: PollingGoal): string {
  if (!given) {
    // What is left of it in a time-lapse.
    const ms = 1_000 / (prices?.delaySecond ?? 1)
    const worth = ms === 1_000 ? 'one second' : formatMs(ms)
    return `no goal given: one poll costs as much as ${worth} of delay`
  }
  const found = quota?.limits == null ? '' : ' (the safe rate that limits found)'
  return [
    quota === null ? [] : `at most ${quota.text} polls${found}`,
    promise === null ? [] : `detection delay ${promise.text}`,
    prices === null
      ? []
      : `a poll costs ${formatCount(prices.poll)}, a second of delay ` +
        formatCount(prices.delaySecond),
  ]
    .flat()
    .join('; ')
}

function familyWords(family: Strategy['family']): string {
  return family === 'retry-after' ? 'Retry-After' : FAMILIES[family].words
}

/** `Shorter, at 0.8 % more cost`. */
function simplerWords(
  { excess }: NonNullable<PollingDocument['simpler']>,
  goal: PollingGoal,
): string {
  return `Shorter, at ${formatShare(Math.max(0, excess))} more ${minimised(goal)}`
}

/** `6.10 (5.80 to 6.40)`. */
function pollsWords({ pollsPerExecution }: Pick<Strategy, 'pollsPerExecution'>): string {
  return formatEstimate(pollsPerExecution, threeDigits)
}

/** The cost of an execution, at the prices. */
function costWords(
  { pollsPerExecution, detectionDelayMs: delay }: Strategy,
  { prices }: PollingGoal,
): string {
  if (prices === null || delay === null) return NOTHING
  const { poll, delaySecond } = prices
  return threeDigits(poll * pollsPerExecution.value + (delaySecond * delay.mean) / 1_000)
}

function delayWords(
  { detectionDelayMs: delay }: Pick<Strategy, 'detectionDelayMs'>,
  statistic: 'mean' | 'p95',
): string {
  if (delay === null) return 'never, for some'
  const [low, high] = bandOf(delay, statistic)
  return formatEstimate({ value: delay[statistic], low, high }, 'ms')
}

function bandOf(
  delay: NonNullable<Strategy['detectionDelayMs']>,
  statistic: 'mean' | 'p95',
): [low: number, high: number] {
  return statistic === 'mean' ? [delay.meanLow, delay.meanHigh] : [delay.low, delay.high]
}

/** `3.90 polls a second at 20 executions a minute, 7.60 when executions take twice as long`. */
function trafficWords({
  pollsPerSecond,
  pollsPerExecution,
  twiceAsLong,
}: Consequences & Pick<Strategy, 'pollsPerExecution'>): string {
  const then = 'when executions take twice as long'
  if (pollsPerSecond === null || twiceAsLong.pollsPerSecond === null) {
    return `${threeDigits(twiceAsLong.pollsPerExecution)} polls per execution ${then}`
  }
  const perMinute = (60 * pollsPerSecond) / pollsPerExecution.value
  const at = `at ${threeDigits(perMinute)} executions a minute`
  return `${rate(pollsPerSecond)} ${at}, ${rate(twiceAsLong.pollsPerSecond)} ${then}`
}

function rate(perSecond: number): string {
  return perSecond >= 1
    ? `${threeDigits(perSecond)} polls a second`
    : `${threeDigits(60 * perSecond)} polls a minute`
}

/** Less is not worth a word. */
const FEW_UNWATCHED = 0.01

/** How long executions take; null where too few tell. */
export function lengthWords({ executionMs, never, unwatchedShare }: Source): string | null {
  if (executionMs === null) return null
  const { mean, p50, p95 } = executionMs
  const average = `${formatMs(mean)} on average`
  if (unwatchedShare > FEW_UNWATCHED) {
    const share = formatShare(unwatchedShare)
    return `take at least ${average}: ${share} took longer than any whose end was seen`
  }
  const who = never === 0 ? '' : 'that ended in time '
  return `${who}take ${average}, p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`
}

function sourceWords({ source, place, scenario }: PollingDocument): string {
  const { kind, executions, ended, never, censored, truth } = source
  const from =
    kind === 'runs'
      ? plural(source.runs.length, 'run')
      : kind === 'virtual'
        ? `a run in virtual time (${scenario ?? ''}, ${studyCrewText(place)})`
        : `a run of ${scenario ?? ''}`
  const others = [
    never === 0 ? '' : `, ${formatCount(never)} not within their deadline`,
    censored === 0 ? '' : `, ${formatCount(censored)} not watched to their end`,
  ].join('')
  const within = source.endKnownWithinMs
  const apart = within === null ? '' : `, ${formatMs(within)} apart in the median`
  const known =
    truth === 'ledger' ? 'True ends by the ledger' : `True ends lie between two polls${apart}`
  return `${from}: ${plural(executions, 'execution')}, ${formatCount(ended)} ended${others}. ${known}`
}
