/**
 * The progress display of a run: a panel of a few lines on a terminal, one plain line elsewhere.
 */
import { inSentences } from '../../../base/text.ts'
import { placeParts } from '../../frame/place-text.ts'
import type { CrewPlace } from '../../../execution/record/crew-place.ts'
import { unreachable } from '../../../base/assert.ts'
import { outcomeWord } from '../../../result/ending/outcome-counts.ts'
import type { Outcome } from '../../../execution/record/record.ts'
import { OUTCOMES } from '../../../execution/record/record.ts'
import {
  formatCount,
  formatMs,
  formatOptionalMs,
  formatPercent,
  NOTHING,
  threeDigits,
} from '../../../base/numbers.ts'
import { plainText } from '../../text/format.ts'
import { createPaint } from '../../text/columns.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import { someOf } from '../../../result/sentences/instances.ts'
import type { RunReason } from '../../../result/sentences/reasons.ts'
import { REASONS } from '../../../result/sentences/reasons.ts'

/**
 * A snapshot of a run, as its meters see it. Times are in milliseconds; null where nothing has been
 * measured yet.
 */
export interface LiveProgress {
  /** Of a mix: the part of which this is the progress. Default: no mix. */
  part?: string
  scenario: string
  place: CrewPlace
  seed: number
  /** Time-lapse: the number of seconds that one second represents. */
  speed: number
  /** The current load in words: `2/min`, `20 clients`; null when nothing arrives any more. */
  load: string | null
  phase: LivePhase
  elapsedMs: number
  /** From 0 to 1 at the end, which is estimated; null while it is not known. */
  share: number | null
  /** Until the end, on the wall clock, by the time that it took to come so far. */
  leftMs: number | null
  started: number
  /** Executions that the plan starts in all, on average where chance decides; null if unknown. */
  expected: number | null
  inFlight: number
  /** Arrivals that are due and wait for admission. */
  queued: number
  outcomes: Partial<Record<Outcome, number>>
  kickoff: { p50Ms: number | null; p95Ms: number | null }
  status: { perSecond: number; p95Ms: number | null }
  /** `exceededMs`: the bound that makes the run INVALID so far; null while it is kept. */
  lateness: { p99Ms: number | null; exceededMs: number | null }
}

export type LivePhase =
  | { kind: 'warm-up' }
  | { kind: 'running' }
  /** All arrivals have come; the last executions are followed to their ends. */
  | { kind: 'finishing' }
  /** Stopped: no more kickoffs; executions in flight may continue for at most `leftMs`. */
  | { kind: 'draining'; leftMs: number }

/**
 * Three lines when there is room, more outside the measured time and for a warning; no newline at
 * the end, and no line wider than `width`.
 */
export function renderProgress(
  live: LiveProgress,
  options: { color: boolean; width: number },
): string {
  const paint = createPaint(options.color)
  const { width } = options
  const bold = (text: string): string => paint(text, 'bold')
  const yellow = (text: string): string => paint(text, 'yellow')
  return [
    ...flow(titleParts(live), '   ', width).map(bold),
    ...flow(barParts(live, width), '  ', width),
    ...flow(meterParts(live), '      ', width),
    ...flow(phaseParts(live), '; ', width).map(yellow),
    ...flow(warningParts(live), ' ', width).map(yellow),
  ].join('\n')
}

/**
 * One plain line, which a log without a terminal receives every ten seconds. `isNews`: whether to
 * write the warning, which the log has already if a line before had it.
 */
export function renderProgressLine(live: LiveProgress, isNews = true): string {
  const parts = [
    clockWords(live),
    countParts(live).join('  '),
    live.queued > 0 ? `${live.queued} queued` : '',
    `kickoff p95 ${formatOptionalMs(live.kickoff.p95Ms)}`,
    `status ${rate(live.status.perSecond)} p95 ${formatOptionalMs(live.status.p95Ms)}`,
    isNews ? latenessWords(live) : `lateness p99 ${formatOptionalMs(live.lateness.p99Ms)}`,
    live.phase.kind === 'running' ? '' : phaseWords(live.phase),
    ...(isNews ? warningParts(live) : []),
  ]
  return parts.filter((part) => part !== '').join('  ')
}

function titleParts(live: LiveProgress): string[] {
  const speed = live.speed === 1 ? '' : `time-lapse x${formatCount(live.speed)}`
  const [where = '', ...crew] = placeParts(live.place).map((part) => plainText(part))
  const parts = [
    `crewload  ${plainText(live.scenario)} on ${where}`,
    ...crew,
    `seed ${live.seed}`,
    speed,
    live.load ?? '',
  ]
  return parts.filter((part) => part !== '')
}

const BAR_EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

function barParts(live: LiveProgress, width: number): string[] {
  const left = ` ${clockWords(live)}`
  const right = [...countParts(live), ...(live.queued > 0 ? [`${live.queued} queued`] : [])]
  const beside = width - `${[left, ...right].join('  ')}  `.length
  const room = Math.min(30, beside < 8 ? width - `${left}  `.length : beside)
  if (room < 8 || live.share === null) return [left, ...right]
  return [left, bar(live.share, room), ...right]
}

/** A bar that fills `share` of `cells` character cells, in eighths of a cell. */
function bar(share: number, cells: number): string {
  const eighths = Math.round(share * cells * 8)
  const full = '█'.repeat(Math.floor(eighths / 8)) + (BAR_EIGHTHS[eighths % 8] ?? '')
  return full.padEnd(cells, '░')
}

function clockWords({ elapsedMs, share, leftMs }: LiveProgress): string {
  return [clock(elapsedMs), shareWords(share), leftWords(leftMs)].filter(Boolean).join('  ')
}

export function shareWords(share: number | null): string {
  return share === null ? '' : formatPercent(Math.floor(share * 100) / 100)
}

/** For example `about 6 min left`; empty while it is not known. */
export function leftWords(leftMs: number | null): string {
  if (leftMs === null) return ''
  const seconds = Math.ceil(leftMs / 1_000)
  if (seconds < 90) return `about ${Math.ceil(seconds / 5) * 5} s left`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `about ${minutes} min left`
  return `about ${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min left`
}

/** For example `0:47`, `1:02:03`: minutes and seconds, with hours when there are any. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  const tail = twoDigits(seconds % 60)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${tail}` : `${minutes}:${tail}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

export function countParts(live: LiveProgress): string[] {
  const ended = OUTCOMES.filter((outcome) => (live.outcomes[outcome] ?? 0) > 0).map(
    (outcome) => `${formatCount(live.outcomes[outcome] ?? 0)} ${outcomeWord(outcome)}`,
  )
  const counts = [startedWords(live), `${formatCount(live.inFlight)} in flight`]
  return [...counts, ...(ended.length > 0 ? ended : ['0 completed'])]
}

function startedWords({ started, expected }: LiveProgress): string {
  const isKnown = expected !== null && started <= expected
  return `${formatCount(started)}${isKnown ? `/${formatCount(Math.round(expected))}` : ''} started`
}

function meterParts(live: LiveProgress): string[] {
  const { kickoff, status } = live
  return [
    ` kickoff  p50 ${formatOptionalMs(kickoff.p50Ms)}  p95 ${formatOptionalMs(kickoff.p95Ms)}`,
    `status  ${rate(status.perSecond)}  p95 ${formatOptionalMs(status.p95Ms)}`,
    latenessWords(live),
  ]
}

export function latenessWords({ lateness }: LiveProgress): string {
  if (lateness.p99Ms === null) return `lateness p99 ${NOTHING}`
  const word = lateness.exceededMs === null ? 'ok' : `LATE (bound ${formatMs(lateness.exceededMs)})`
  return `lateness p99 ${formatMs(lateness.p99Ms)}  ${word}`
}

function phaseParts({ phase }: LiveProgress): string[] {
  const stop = phase.kind === 'draining' ? ['press Ctrl-C again to stop now'] : []
  return phase.kind === 'running' ? [] : [` ${phaseWords(phase)}`, ...stop]
}

export function phaseWords(phase: LivePhase): string {
  switch (phase.kind) {
    case 'warm-up':
      return 'warm-up: these executions do not count'
    case 'running':
      return ''
    case 'finishing':
      return 'draining: all arrivals sent, the last executions run to their ends'
    case 'draining':
      return `draining: no new kickoffs, at most ${formatMs(phase.leftMs)} more`
    default:
      return unreachable(phase)
  }
}

/** What makes the run INVALID so far, as its verdict says it; null while nothing does. */
export function warningOf({
  lateness: { p99Ms, exceededMs: boundMs },
}: Pick<LiveProgress, 'lateness'>): RunReason | null {
  if (p99Ms === null || boundMs === null) return null
  return reasonOf(REASONS, 'lateness', { p99Ms, boundMs, basis: null, late: someOf([], 1) })
}

function warningParts(live: LiveProgress): string[] {
  const warning = warningOf(live)
  return warning === null ? [] : [`! ${inSentences(warning.message, warning.remedy)}`]
}

function rate(perSecond: number): string {
  return `${threeDigits(perSecond)}/s`
}

/**
 * Puts as many parts on a line as fit, and as many words of a part that is longer than a line; a
 * line that the terminal wraps would break redrawing in place.
 */
export function flow(parts: readonly string[], gap: string, width: number): string[] {
  const lines: string[] = []
  const fitting = parts.flatMap((part) => {
    const words = part.split(' ').filter((word) => word !== '')
    if (Array.from(part).length < width || words.length < 2) return part
    return flow(words, ' ', width).map((line) => line.trim())
  })
  for (const part of fitting) {
    const last = lines.at(-1)
    const longer = `${last}${gap}${part}`
    if (last !== undefined && Array.from(longer).length <= width) lines[lines.length - 1] = longer
    else lines.push(lines.length === 0 ? part : ` ${part}`)
  }
  return lines.map((line) => clip(line, width))
}

function clip(text: string, width: number): string {
  const characters = Array.from(text)
  return characters.length <= width
    ? text
    : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}
