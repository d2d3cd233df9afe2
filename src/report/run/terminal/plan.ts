/**
 * The printed plan: what a run is going to do, shown before the first kickoff, which may cost
 * money.
 */
import {
  formatCount,
  formatMostMs,
  formatMs,
  NOTHING,
  plural,
  formatShare,
} from '../../../base/numbers.ts'
import { plainText } from '../../frame/format.ts'
import type { Decidability } from '../../../result/verdict/decidable.ts'
import { leastWords } from '../../../result/verdict/hints.ts'
import { lapseWords } from '../summary.ts'
import type { PlanText } from '../../frame/render/terminal.ts'
import { renderPlanText } from '../../frame/render/terminal.ts'

/** A field is null when its value cannot be known in advance. */
export interface RunPlan extends PlaceFacts {
  scenario: string
  engine: string
  seed: number
  speed: number
  kickoffs: number | null
  /** Kickoffs plus an estimate of polls, retries and confirmations. */
  requests: number | null
  /** The same if every execution takes until its deadline; without retries and confirmations. */
  mostRequests: number | null
  /** The highest rate of kickoffs, in arrivals per second. */
  peakKickoffsPerSecond: number | null
  /** Whether that is the mean of random arrivals, of which more may come in one second. */
  isPeakMean: boolean
  /** The time after which nothing arrives; null where a count of executions ends the run. */
  durationMs: number | null
  /** The longest time from the first arrival until the last execution has ended. */
  mostDurationMs: number
  /** The deadline: how long the last execution may be followed after that. */
  deadlineMs: number
  /** The cost in the currency of `--cost-per-kickoff`. */
  cost: number | null
  budget: {
    kickoffs: number | null
    requests: number | null
    cost: number | null
    /** The limit on the duration of the whole load. */
    timeMs: number | null
  }
  thresholds: readonly Decidability[]
  /** What a run of this size cannot decide, one sentence each. */
  doubts: readonly string[]
}

/** Ends with a newline; plain text with at most 100 characters per line. */
export function renderPlan(facts: RunPlan): string {
  return renderPlanText(planTextOf(facts))
}

export function planTextOf(facts: RunPlan): PlanText {
  const { kickoffs, budget, doubts, speed } = facts
  const words = lapseWords(speed)
  const lapse = words === null ? '' : `, time-lapse: ${words}`
  const rows: [string, string][] = [
    placeRow(facts),
    ['kickoffs', `${known(kickoffs)}${peak(facts)}`],
    ['requests', requestWords(facts) ?? NOTHING],
    ['duration', duration(facts)],
    [
      'cost',
      facts.cost === null ? 'unknown (set it with --cost-per-kickoff)' : formatCount(facts.cost),
    ],
    ['budget', budgetWords(budget)],
    ['engine', `${plainText(facts.engine)}, seed ${facts.seed}${lapse}`],
    ...thresholdRows(facts.thresholds),
  ]
  return { title: `Plan of "${plainText(facts.scenario)}"`, rows, notes: doubts }
}

/**
 * `about 7,800 (at most 36,000 without retries)`; only the latter where executions are expected to
 * take until their deadline. Null if the number of kickoffs is not known.
 */
export function requestWords({
  requests,
  mostRequests,
}: Pick<RunPlan, 'requests' | 'mostRequests'>): string | null {
  if (requests === null || mostRequests === null) return null
  const most = `at most ${formatCount(mostRequests)} without retries`
  return mostRequests <= requests ? most : `about ${formatCount(requests)} (${most})`
}

/**
 * For each threshold, the number of executions that decides it, and the probability that a target
 * at half the bound meets it.
 */
function thresholdRows(thresholds: readonly Decidability[]): [string, string][] {
  if (thresholds.length === 0) return [['thresholds', 'none']]
  return thresholds.map((each, i) => [i === 0 ? 'thresholds' : '', thresholdWords(each)])
}

function thresholdWords({ metric, text, source, needed, chance }: Decidability): string {
  const name = `${plainText(metric)} ${plainText(text)}`
  if (source === 'default') return `${name} (default)`
  if (needed === null) return name
  const half = chance === null ? '' : `; met by ${formatShare(chance)} of runs at half the bound`
  return `${name}: at least ${leastWords(needed)}${half}`
}

function known(count: number | null): string {
  return count === null ? 'as many as the clients complete' : formatCount(count)
}

/** Rates below one per second are easier to read per hour. */
function peak({
  peakKickoffsPerSecond: perSecond,
  isPeakMean,
}: Pick<RunPlan, 'peakKickoffsPerSecond' | 'isPeakMean'>): string {
  if (perSecond === null) return ''
  const rate =
    perSecond >= 1 ? `${formatCount(perSecond)}/s` : `${formatCount(perSecond * 3_600)}/h`
  return isPeakMean ? `, up to ${rate} on average` : `, at most ${rate}`
}

function duration({ durationMs, mostDurationMs, deadlineMs }: RunPlan): string {
  if (durationMs === null)
    return `until the last client ends, at most ${formatMostMs(mostDurationMs)}`
  const arrivals = `${formatMs(durationMs)} of arrivals`
  return `${arrivals}, then up to ${formatMs(deadlineMs)} for the last executions`
}

function budgetWords(budget: RunPlan['budget']): string {
  const parts = [
    budget.kickoffs === null ? '' : plural(budget.kickoffs, 'kickoff'),
    budget.requests === null ? '' : plural(budget.requests, 'request'),
    budget.cost === null ? '' : `cost ${formatCount(budget.cost)}`,
    budget.timeMs === null ? '' : formatMs(budget.timeMs),
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'none' : `at most ${parts.join(', ')}`
}

export interface PlaceFacts {
  target: string
  /** For example `fake crew "default"`, or null for a deployment. */
  profile: string | null
  /** The proxy on the way to the target, without credentials. Default: none. */
  proxy?: string
  /** Tokens too short to be taken out of texts in which the target repeats them. Default: none. */
  shortTokens?: number
}

export function placeRow({ target, profile, proxy }: PlaceFacts): [string, string] {
  const way = proxy === undefined ? '' : `, through the proxy ${plainText(proxy)}`
  const fake = profile === null ? '' : `, ${plainText(profile)}`
  return ['target', plainText(target) + way + fake]
}
