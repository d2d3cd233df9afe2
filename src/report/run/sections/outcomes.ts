/** What became of the arrivals: each has exactly one outcome. */
import type { EndReasonCount, ResultDocument } from '../../../result/document.ts'
import { CONNECT_FAILURES } from '../../../crew/answer.ts'
import type { AnswerCode } from '../../../crew/observation.ts'
import { endReasonText } from '../../../result/sentences/end-reasons.ts'
import { isSetAside, outcomeWord, unsentOf } from '../../../result/ending/outcome-counts.ts'
import { OUTCOMES as ALL } from '../../../execution/record/record.ts'
import type { Outcome } from '../../../execution/record/record.ts'
import { formatCount, formatInterval, formatValue, NOTHING, plural } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/sentences.ts'
import { plainText } from '../../text/format.ts'
import type { Drawing, Picture } from '../../charts/chart.ts'
import { swatchKey } from '../../charts/key.ts'
import { hatched } from '../../charts/palette.ts'
import type { Color, Hatch } from '../../charts/palette.ts'
import { bar } from '../../charts/plot.ts'
import type { Table } from '../../text/table.ts'
import { columnsOf, pageTable } from '../../text/table.ts'
import type { RunSection } from './section.ts'

export const OUTCOMES: RunSection = {
  chapter: 'What went wrong',
  title: null,
  blocks: (document) => [
    document.arrivals === 0
      ? { kind: 'prose', as: 'heading', text: heading(document), on: ['page'] }
      : { kind: 'drawing', figure: outcomeFigure(document) },
  ],
  facts: (document) => [{ name: 'Outcomes', text: outcomeSentence(document) }],
}

function outcomeFigure(document: ResultDocument): Drawing {
  const shares = outcomeShares(document)
  return {
    id: 'outcomes',
    heading: heading(document),
    caption: 'Every arrival of the measured window ends in exactly one outcome.',
    draw: (width) => drawOutcomes(shares, width),
    table: [outcomeTable(document, shares)],
  }
}

function heading(document: ResultDocument): string {
  const { arrivals, outcomes } = document
  if (arrivals === 0) {
    return document.run.stopped === 'crashed'
      ? 'No outcome is known: the run was cut'
      : 'Nothing arrived in the measured window'
  }
  const noun = unsentOf(outcomes) + outcomes.rejected > 0 ? 'arrival' : 'execution'
  const completed = `${formatCount(outcomes.completed)} of ${plural(arrivals, noun)} completed`
  const worst = outcomeShares(document)
    .filter(({ outcome, count }) => outcome !== 'completed' && count > 0)
    .sort((a, b) => b.count - a.count)
  if (worst.length === 0)
    return arrivals === 1
      ? 'The only execution completed'
      : `All ${formatCount(arrivals)} executions completed`
  const words = worst.map(({ outcome, count }) => `${formatCount(count)} ${outcomeWord(outcome)}`)
  return `${completed}; ${words.join(', ')}`
}

interface OutcomePaint {
  color: Color
  fill?: string
}

/** Arrivals that were not served are hatched, in warm hues; those that were not sent are grey. */
const PAINTS: Record<Outcome, OutcomePaint> = {
  completed: { color: 'service' },
  failed: { color: 'error' },
  rejected: hatchedIn('response'),
  unknown: hatchedIn('extra'),
  lost: hatchedIn('bad'),
  paused: { color: 'sky' },
  stuck: hatchedIn('error'),
  unreadable: hatchedIn('doubt'),
  dropped: { color: 'grey' },
  notReached: { color: 'muted' },
  aborted: hatchedIn('grey'),
}

function hatchedIn(color: Hatch): OutcomePaint {
  return { color, fill: hatched(color) }
}

const BAR = { top: 4, bottom: 32 }
const LEAST_PX = 3

/**
 * One bar, in which rare outcomes still get three pixels, and below it a key of those that
 * occurred.
 */
function drawOutcomes(shares: readonly OutcomeShare[], width: number): Picture {
  const seen = shares.filter(({ count }) => count > 0)
  const room = width - seen.length * LEAST_PX
  let from = 0
  const parts = seen.map(({ outcome, share, text }) => {
    const left = from
    from += LEAST_PX + share * room
    const rect = { left, right: from - (seen.length > 1 ? 1 : 0), ...BAR }
    const { color, ...fill } = PAINTS[outcome]
    return bar(rect, color, { ...fill, tip: `${outcomeWord(outcome)} ${text}` })
  })
  const entries = seen.map(({ outcome, text }) => {
    const key = { opacity: 1, label: `${outcomeWord(outcome)} ${text}` }
    return Object.assign(key, PAINTS[outcome])
  })
  const key = swatchKey(entries, { left: 0, top: BAR.bottom + 15, right: width })
  return { height: key.bottom, body: [parts, key.body] }
}

function outcomeTable(document: ResultDocument, shares: readonly OutcomeShare[]): Table {
  return pageTable(
    columnsOf(['outcome'], ['arrivals', 'share'], ['why']),
    shares.map(({ outcome, count, percent }) => [
      outcomeWord(outcome),
      formatCount(count),
      percent ?? NOTHING,
      (document.reasons[outcome] ?? [])
        .map(({ reason, count: times }) => `${plainText(whyText(reason))} (${times})`)
        .join('; '),
    ]),
  )
}

interface OutcomeShare {
  outcome: Outcome
  count: number
  /** The share of all arrivals of the window, 0 to 1; 0 without arrivals. */
  share: number
  /** `2.2 %`, or `2.2 % of 360` when some arrivals are excluded; null for the excluded ones. */
  percent: string | null
  /** For example `8 (2.2 %, 1.1 to 4.3 %)`. */
  text: string
}

/**
 * All outcomes, in the order of the outcome table. Dropped, not reached and aborted arrivals
 * have only a count; the others are shares of the rest, so that a stopped run does not hide
 * failures. When arrivals are excluded, each share states its base.
 */
function outcomeShares(document: ResultDocument): OutcomeShare[] {
  return ALL.map((outcome) => {
    const count = document.outcomes[outcome]
    const share = document.arrivals === 0 ? 0 : count / document.arrivals
    const percent = isSetAside(outcome) ? null : outcomePercent(document, outcome)
    const metric = document.metrics[`outcome.${outcome}`]
    const interval =
      metric === undefined || outcome === 'completed' ? null : formatInterval(metric, metric.unit)
    const detail = interval === null ? percent : `${percent}, ${interval}`
    const shown = count === 0 || percent === null ? '' : ` (${detail})`
    return { outcome, count, share, percent, text: formatCount(count) + shown }
  })
}

function outcomePercent({ outcomes, metrics, arrivals }: ResultDocument, outcome: Outcome): string {
  const rest = arrivals - unsentOf(outcomes) - outcomes.aborted
  const metric = metrics[`outcome.${outcome}`]
  const share = rest === 0 ? 0 : outcomes[outcome] / rest
  const percent = metric?.value == null ? formatValue(share, 'share') : formatMetric(metric)
  return rest === arrivals ? percent : `${percent} of ${formatCount(rest)}`
}

/** `completed 352 (97.8 %)  failed 8 (2.2 %, 1.1 to 4.3 %); 0 in every other outcome` */
function outcomeSentence(document: ResultDocument): string {
  if (document.arrivals === 0) return noOutcomes(document)
  const shares = outcomeShares(document)
  const seen = shares
    .filter(({ count }) => count > 0)
    .map(({ outcome, text }) => {
      const unreached = outcome === 'rejected' ? unreachedWords(document) : ''
      return `${outcomeWord(outcome)} ${text}${unreached}`
    })
  const { run, outcomes, warmUpArrivals } = document
  const isCut = run.stopped !== null || outcomes.notReached + outcomes.aborted > 0
  const where = isCut && warmUpArrivals > 0 ? 'after the warm-up, ' : ''
  return `${seen.join(', ')}; ${where}0 in every other outcome`
}

/**
 * `, no connection: refused` when no rejected kickoff reached the target: "rejected" alone would
 * suggest an answer.
 */
function unreachedWords({ reasons: { rejected = [] } }: ResultDocument): string {
  if (rejected.length === 0 || !rejected.every(isUnreached)) return ''
  return `, no connection: ${rejected.map(({ reason }) => whyText(reason)).join(', ')}`
}

function isUnreached({ reason }: EndReasonCount): boolean {
  if (reason?.code !== 'answer') return false
  const unreached: ReadonlySet<AnswerCode> = CONNECT_FAILURES
  return unreached.has(reason.answer)
}

function whyText(reason: EndReasonCount['reason']): string {
  return reason === null ? 'other' : endReasonText(reason)
}

/** Why there is no outcome to show. */
function noOutcomes({ run }: ResultDocument): string {
  return run.stopped === 'crashed'
    ? 'unknown: the run was cut'
    : 'no arrivals in the measured window'
}
