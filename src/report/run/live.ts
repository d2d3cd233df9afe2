/** A run that goes on, as blocks of a page: how far it is, and what is known so far. */
import { formatCount, formatMs } from '../../base/numbers.ts'
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import { hasMarks } from '../charts/chart.ts'
import type { Block, Fact, ThresholdRow } from '../frame/report.ts'
import { figures } from '../frame/report.ts'
import { ERRORS } from './sections/errors.ts'
import { backlogSoFar } from './sections/over-time/backlog.ts'
import { timeChart } from './sections/over-time/over-time.ts'
import type { LiveProgress } from './terminal/progress.ts'
import { clock, countParts, latenessWords, leftWords, shareWords } from './terminal/progress.ts'
import { thresholdRow } from './thresholds.ts'

export interface LiveRun {
  progress: LiveProgress
  /** Of what was written so far, as if the run had been cut now. */
  document: ResultDocument
  /** As they stand: the document judges none of a run that was cut. */
  thresholds: readonly ThresholdResult[]
  /** Those of them that will be missed, however the rest turns out. */
  lost: ReadonlySet<ThresholdResult>
  /** Kickoffs that the budget allows; null for no limit. */
  mostKickoffs: number | null
  /** Null without a price. */
  costPerKickoff: number | null
}

/** `4:07, 47 %, about 6 min left`. */
export function farWords({ elapsedMs, share, leftMs }: LiveProgress): string {
  const parts = [clock(elapsedMs), shareWords(share), leftWords(leftMs)]
  return parts.filter((part) => part !== '').join(', ')
}

export function liveFacts({ progress, ...run }: LiveRun): Fact[] {
  const { started, kickoff, status } = progress
  const { mostKickoffs, costPerKickoff } = run
  const budget = mostKickoffs === null ? '' : ` of at most ${formatCount(mostKickoffs)}`
  const price = (kickoffs: number): string => formatCount(kickoffs * (costPerKickoff ?? 0))
  const most = mostKickoffs === null ? '' : ` of at most ${price(mostKickoffs)}`
  const facts: [name: string, text: string | null][] = [
    ['Executions', countParts(progress).join(', ')],
    ['Kickoffs', `${formatCount(started)}${budget}`],
    ['Cost', costPerKickoff === null ? null : `about ${price(started)}${most}`],
    ['Kickoff answered', kickoff.p95Ms === null ? null : `p95 ${formatMs(kickoff.p95Ms)}`],
    ['Status answered', status.p95Ms === null ? null : `p95 ${formatMs(status.p95Ms)}`],
    ['Generator', latenessWords(progress)],
  ]
  return facts.flatMap(([name, text]) => (text === null ? [] : { name, text }))
}

const LOST = { sign: '✗', word: 'will miss', tone: 'bad', isPlain: false } as const

const MAY_CHANGE: ReadonlySet<ThresholdResult['status']> = new Set(['met', 'missed'])

export function liveThresholds({
  document,
  thresholds,
  lost,
}: Pick<LiveRun, 'document' | 'thresholds' | 'lost'>): Block[] {
  const rows = thresholds.map((result): ThresholdRow => {
    const row = thresholdRow(result, document)
    if (lost.has(result)) return { ...row, ...LOST }
    if (result.status === 'unmeasurable') return { ...row, word: 'nothing yet' }
    return MAY_CHANGE.has(result.status) ? { ...row, word: `${row.word} so far` } : row
  })
  return [{ kind: 'thresholds', rows }]
}

/** Nothing that has nothing to show. */
export function liveCharts({ document }: LiveRun): Block[] {
  return figures(
    ...[backlogSoFar(document), timeChart(document)].filter(
      (chart) => chart !== null && hasMarks(chart),
    ),
  )
}

export function liveErrors({ document }: LiveRun): Block[] {
  return document.errors.length === 0 ? [] : [...ERRORS.blocks(document)]
}
