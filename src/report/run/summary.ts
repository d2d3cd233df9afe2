/**
 * What every report says in words: verdict, waits, outcomes, polling, contract. Written once, so
 * that no two reports differ.
 */
import type { FailureClass } from '../../crew/answer.ts'
import type {
  Metric,
  Reason,
  ResultDocument,
  ThresholdResult,
  Verdict,
} from '../../analysis/document.ts'
import {
  arrivalWords,
  isSetAside,
  outcomeWord,
  stopWords,
  unsentOf,
} from '../../analysis/ending/endings.ts'
import { crewTimeWords, isCrewTime, metricOnCrewClock } from '../../analysis/crew-clock.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import type { Outcome } from '../../execution/record/record.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  formatValue,
  neverNote,
  NOTHING,
  plainText,
  plural,
} from '../frame/format.ts'

/** `PASSED`, `PASSED WITH 2 PROBLEMS`: green is for a run without one. */
export function verdictWord({ outcome, problems }: Verdict): string {
  const { word } = VERDICTS[outcome]
  return problems === 0 ? word : `${word} WITH ${plural(problems, 'PROBLEM', 'PROBLEMS')}`
}

export function verdictSign({ outcome, problems }: Verdict): string {
  return problems === 0 ? VERDICTS[outcome].sign : '!'
}

/** Never colour alone: each verdict has a word and a sign. */
export const VERDICTS: Record<Verdict['outcome'], { word: string; sign: string }> = {
  passed: { word: 'PASSED', sign: '✓' },
  failed: { word: 'FAILED', sign: '✗' },
  invalid: { word: 'INVALID', sign: '!' },
  inconclusive: { word: 'INCONCLUSIVE', sign: '?' },
  unreachable: { word: 'UNREACHABLE', sign: '✗' },
}

export const STATISTICS = ['p50', 'p95', 'p99', 'max'] as const
export type Statistic = (typeof STATISTICS)[number]

export interface WaitRow {
  label: string
  /** Prefix in the metric grammar. */
  metric: string
  /** Parts of the row above it are indented. */
  part: boolean
  note: string | null
  cells: Record<Statistic, Metric | null>
  /** The same in the time of this run, where a time-lapse made it another. */
  wall: Record<Statistic, Metric | null> | null
}

const WAITS: readonly Omit<WaitRow, 'cells' | 'note' | 'wall'>[] = [
  { label: 'end to end', metric: 'execution', part: false },
  { label: 'waiting for a worker', metric: 'queue', part: true },
  { label: 'running', metric: 'running', part: true },
  { label: 'detection delay', metric: 'detectionDelay', part: true },
  { label: 'kickoff response', metric: 'kickoff.response', part: false },
  { label: 'status response', metric: 'status.response', part: false },
]

/**
 * What users wait for, of a document on the clock of the crew, one row a wait; rows of which the
 * run knows nothing are left out, but for end to end.
 */
export function waitRows(document: ResultDocument): WaitRow[] {
  return WAITS.map(({ label, metric, part }) => {
    const { speed } = document.run
    const cells = waitCells(document, metric)
    const isLapsed = speed !== 1 && isCrewTime(metric)
    return {
      label: speed === 1 || isLapsed ? label : `${label}, wall`,
      metric,
      part,
      note: waitNote(document, metric),
      cells,
      wall: isLapsed ? onWallClock(metric, cells, speed) : null,
    }
  }).filter(
    ({ metric, cells }) =>
      metric === 'execution' || STATISTICS.some((statistic) => (cells[statistic]?.n ?? 0) > 0),
  )
}

function onWallClock(prefix: string, cells: WaitRow['cells'], speed: number): WaitRow['cells'] {
  const wall = (cell: Metric | null): Metric | null =>
    cell === null ? null : metricOnCrewClock(prefix, cell, 1 / speed)
  return { p50: wall(cells.p50), p95: wall(cells.p95), p99: wall(cells.p99), max: wall(cells.max) }
}

function waitCells(document: ResultDocument, prefix: string): WaitRow['cells'] {
  return {
    p50: findMetric(document, prefix, 'p50'),
    p95: findMetric(document, prefix, 'p95'),
    p99: findMetric(document, prefix, 'p99'),
    max: findMetric(document, prefix, 'max'),
  }
}

/**
 * The metric of that name; where the metrics have none, its value in the distribution of that name.
 */
export function findMetric(
  document: ResultDocument,
  prefix: string,
  statistic: Statistic,
): Metric | null {
  const metric = document.metrics[`${prefix}.${statistic}`]
  if (metric !== undefined) return metric
  const distribution = document.distributions[prefix]
  if (distribution === undefined) return null
  const { n, max } = distribution
  const rest = { n, never: distribution.never, effective: null }
  if (statistic === 'max') {
    return { value: max, unit: 'ms', low: null, high: null, needed: null, ...rest }
  }
  const { q, needed } = QUANTILES[statistic]
  const point = distribution.quantiles.find((each) => each.q === q)
  const { value, low, high } = point ?? { value: null, low: null, high: null }
  return { value, unit: 'ms', low, high, needed, ...rest }
}

/** With the smallest n that has a two-sided 95 % interval by order statistics. */
const QUANTILES = {
  p50: { q: 0.5, needed: 6 },
  p95: { q: 0.95, needed: 59 },
  p99: { q: 0.99, needed: 299 },
} as const

export function cellText(metric: Metric | null): string {
  return metric === null ? NOTHING : formatMetric(metric)
}

/** The wall time beside a time of the crew; null where there is none, or it is the same. */
export function wallCellText({ cells, wall }: WaitRow, statistic: Statistic): string | null {
  const metric = wall?.[statistic] ?? null
  const isSame = metric?.value === cells[statistic]?.value || typeof metric?.value !== 'number'
  return metric === null || isSame ? null : cellText(metric)
}

function waitNote(document: ResultDocument, metric: string): string | null {
  const { censored = 0, never = 0, n = 0 } = document.distributions[metric] ?? {}
  const unserved = never === 0 ? null : neverNote({ n, never }, metric)
  if (metric === 'execution' || metric === 'kickoff.response') {
    const left = censored === 0 ? null : `${formatCount(censored)} unfinished, counted as censored`
    return [unserved, left].filter((part) => part !== null).join('; ') || null
  }
  if (metric === 'queue') return 'from the ledger'
  if (metric !== 'detectionDelay') return null
  const source =
    document.polling.detectionSource === 'ledger'
      ? 'from the ledger'
      : 'an upper bound: between two polls'
  return never === 0
    ? source
    : `${formatCount(never)} of ${formatCount(n)} never learned of an end; ${source}`
}

/** `95 % interval of p95: 195 to 230 s`, as a cell; null where there is none. */
export function intervalOf(row: WaitRow, statistic: Statistic): string | null {
  const metric = row.cells[statistic]
  return metric === null ? null : formatInterval(metric)
}

export interface OutcomeShare {
  outcome: Outcome
  count: number
  /** Of all arrivals of the window, 0 to 1; 0 without arrivals. */
  share: number
  /** `2.2 %`, or `2.2 % of 360` where some arrivals stand aside; null for those that do. */
  percent: string | null
  /** `8 (2.2 %, 1.1 to 4.3 %)`. */
  text: string
}

/**
 * All ten, in the order of the outcome table. Those dropped, not reached and aborted have their
 * count alone, and the others their shares of the rest, so that a stopped run does not hide what
 * failed; where there are such each share says of how many.
 */
export function outcomeShares(document: ResultDocument): OutcomeShare[] {
  return OUTCOMES.map((outcome) => {
    const count = document.outcomes[outcome]
    const share = document.arrivals === 0 ? 0 : count / document.arrivals
    const percent = isSetAside(outcome) ? null : outcomePercent(document, outcome)
    const metric = document.metrics[`outcome.${outcome}`]
    const interval = metric === undefined || outcome === 'completed' ? null : formatInterval(metric)
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
export function outcomeSentence(document: ResultDocument, between = '  '): string {
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
  return `${seen.join(between)}; ${where}0 in every other outcome`
}

/** Failures that end before a byte of the request is written. */
const UNREACHED: ReadonlySet<string> = new Set<FailureClass>([
  'refused',
  'dns',
  'tls',
  'connect-timeout',
  'unreachable',
])

/**
 * `, no connection: refused` where no rejected kickoff reached the target: "rejected" alone sounds
 * like its answer.
 */
function unreachedWords({ reasons: { rejected = [] } }: ResultDocument): string {
  const isUnreached = rejected.length > 0 && rejected.every(({ reason }) => UNREACHED.has(reason))
  if (!isUnreached) return ''
  return `, no connection: ${rejected.map(({ reason }) => reason).join(', ')}`
}

/** Why there is no outcome to show. */
export function noOutcomes({ run }: ResultDocument): string {
  return run.stopped === 'crashed' ? 'none known: it was cut' : 'no arrivals in the measured window'
}

/** `12.1 polls an execution, 11.1 told nothing new; one new connection for 38 of 100 requests`. */
export function pollingSentence(document: ResultDocument): string {
  const { perExecution, wastedPerExecution } = document.polling
  const share = document.generator.handshakeShare
  const polls =
    perExecution === null
      ? 'nothing polled'
      : pollsAnExecution(perExecution) +
        (wastedPerExecution === null
          ? ''
          : `, ${formatValue(wastedPerExecution, 'ratio')} told nothing new`)
  const connections =
    share === null ? '' : `; ${formatValue(share, 'share')} of requests opened a connection`
  return polls + connections
}

export function pollsAnExecution(count: number): string {
  return `${formatValue(count, 'ratio')} ${count === 1 ? 'poll' : 'polls'} an execution`
}

/** `2 violations of progress-never-decreases, first in 7be1..: 2 of 3 then 1 of 3`. */
export function contractSentence(document: ResultDocument): string {
  const { answersChecked, violations, rules } = document.contract
  if (answersChecked === 0) return 'no answers to check'
  if (violations === 0) return `no violation in ${plural(answersChecked, 'answer')}`
  const first = rules[0]
  const seen =
    first === undefined
      ? ''
      : `, first in ${exampleName(first.example)}: ${plainText(first.example.seen, 80)}`
  const names = rules.slice(0, 2).map(({ rule }) => plainText(rule))
  const more = rules.length > 2 ? ` and ${plural(rules.length - 2, 'other rule')}` : ''
  return `${plural(violations, 'violation')} of ${names.join(', ')}${more}${seen}`
}

/** The kickoff id's head, or the arrival's number when it never got one. */
export function exampleName(example: { kickoffId: string | null; index: number | null }): string {
  if (example.kickoffId !== null) return shortId(example.kickoffId)
  return example.index === null ? 'an unclaimed execution' : `arrival ${example.index}`
}

/** The first eight characters of a kickoff id, marked as shortened. */
export function shortId(id: string): string {
  const text = plainText(id)
  return text.length > 8 ? `${text.slice(0, 8)}..` : text
}

/** `6 of 6 thresholds`, or `no thresholds`. */
export function thresholdSummary(document: ResultDocument): string {
  const all = document.thresholds.length
  if (all === 0) return 'no thresholds'
  const count = (wanted: ThresholdResult['status']): number =>
    document.thresholds.filter(({ status }) => status === wanted).length
  const others = (['missed', 'undecided', 'unmeasurable'] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `, ${count(status)} ${status}`)
  return `${count('met')} of ${plural(all, 'threshold')} met${others.join('')}`
}

export function validityWords(document: ResultDocument): string {
  return document.verdict.valid ? 'measurement valid' : 'measurement not valid'
}

/** What a second stands for at that speed: `a minute`, `an hour`, `2 minutes`, `90 s`. */
export function lapseWords(speed: number): string {
  for (const [one, seconds, noun] of LAPSES) {
    if (speed === seconds) return one
    if (speed % seconds === 0) return plural(speed / seconds, noun)
  }
  return `${formatCount(speed)} s`
}

const LAPSES = [
  ['a day', 86_400, 'day'],
  ['an hour', 3_600, 'hour'],
  ['a minute', 60, 'minute'],
] as const

/** `3 h 04 min, 360 executions`, and a word when the run ended before its plan. */
export function extentWords(document: ResultDocument): string {
  const { run, arrivals, outcomes } = document
  const length = crewTimeWords(run.durationMs, run.speed)
  if (run.stopped === 'crashed') {
    const ended = plural(arrivals - unsentOf(outcomes), 'execution')
    return `${length}, ${ended} ended before it was cut`
  }
  const words = `${length}, ${arrivalWords(arrivals, outcomes)}`
  const { stopped, stopReason } = run
  const how = stopWords({ stopped, stopReason, reasons: document.reasons })
  return how === null ? words : `${words}, ${plainText(how)}`
}

/**
 * `k6`; `k6, 4 instances`; `virtual, network loopback`: its figures are told by `simulationNote`.
 */
export function engineWords({ run }: ResultDocument): string {
  const { engine, instances, network } = run
  const count = instances > 1 ? [plural(instances, 'instance')] : []
  const simulated = network === null ? [] : [`network ${plainText(network.split(':', 1)[0] ?? '')}`]
  return [engine, ...count, ...simulated].join(', ')
}

/** The reasons of a verdict but those that every report shows with their thresholds. */
export function otherReasons({ verdict, thresholds }: ResultDocument): Reason[] {
  const shown = new Set(thresholds.map(({ metric, status }) => `${CODES[status] ?? ''}${metric}`))
  return verdict.reasons.filter(({ code }) => !shown.has(code))
}

const CODES: Partial<Record<ThresholdResult['status'], string>> = {
  missed: 'threshold:',
  undecided: 'undecided:',
  unmeasurable: 'unmeasurable:',
}
