/** Sums up a comparison in one sentence. */
import { unreachable } from '../../../base/assert.ts'
import { formatReach, plural } from '../../../analysis/metrics/format.ts'
import type { StudyDocument } from '../envelope.ts'
import { listed } from '../words.ts'
import { failedWords, hasFailed } from './comparable.ts'
import type { Change, ChangeOutcome, Changes, Compared, ComparedSide, Terms } from './shapes.ts'

type Verdict = StudyDocument['verdict'] & { outcome: ChangeOutcome }

interface Compare {
  metrics: readonly Compared[]
  obstacles: readonly string[]
  terms: Terms
  /** The number of runs of each side. */
  runs: readonly [base: number, next: number]
  /** The clause that limits a good verdict, added to its sentence; see `failedBase`. */
  caveat: string
}

/**
 * Returns a clause like `, but 3 of the 8 base runs failed by their own verdict`; empty if none
 * failed.
 */
export function failedBase({ base }: Pick<Changes, 'base'>): string {
  const failed = base.filter(hasFailed).length
  return failed === 0 ? '' : `, but ${failedWords(failed, base.length, 'base')}`
}

export function reachVerdict(compare: Compare): Verdict {
  const judged = compare.metrics.filter((metric) => metric.judged)
  const outcome = outcomeOf(judged, compare)
  return {
    outcome,
    reasons: reasonsOf(judged, compare),
    sentence: sentence(outcome, judged, compare),
  }
}

/** The judged metrics for which the runs of a side are too short. */
export function unmeasured(metrics: readonly Compared[]): string[] {
  return metrics
    .filter(({ judged, base, new: next }) => judged && Math.min(base.runs, next.runs) === 0)
    .map(({ name }) => name)
}

function outcomeOf(judged: readonly Compared[], { obstacles, terms }: Compare): Verdict['outcome'] {
  if (obstacles.length > 0 || isNothingMeasured(judged)) return 'not-comparable'
  const proven = judged.filter(({ significant }) => significant)
  if (proven.some(({ direction }) => direction === 'worse')) return 'regression'
  if (proven.length > 0) return 'improvement'
  if (terms.equivalent !== null && judged.every(({ equal }) => equal === true)) return 'equal'
  return 'none-proven'
}

function isNothingMeasured(judged: readonly Compared[]): boolean {
  return unmeasured(judged).length === judged.length
}

const MEASURED_REMEDY = 'make the runs longer, or leave it out with --metrics'

export function unmeasuredReason(name: string): Verdict['reasons'][number] {
  const message = `${name} was not measured by runs of both sides`
  return { code: 'unmeasured', message, remedy: MEASURED_REMEDY }
}

function reasonsOf(judged: readonly Compared[], { obstacles, runs }: Compare): Verdict['reasons'] {
  const lonely = runs.some((count) => count < 2)
  return [
    ...obstacles.map((message) => ({ code: 'not-comparable', message, remedy: '' })),
    ...(isNothingMeasured(judged)
      ? [
          {
            code: 'nothing-measured',
            message: 'no judged metric was measured by runs of both sides',
            remedy: 'make the runs longer, or name others with --metrics',
          },
        ]
      : unmeasured(judged).map(unmeasuredReason)),
    ...(lonely
      ? [
          {
            code: 'one-run',
            message: 'a single run does not show how much runs differ by chance',
            remedy: 'compare at least 3 runs per side; 5 to 8 find a change of 10 %',
          },
        ]
      : []),
    ...judged
      .filter(({ significant }) => significant)
      .map((metric) => ({
        code: metric.direction ?? 'other',
        message: changeWords(metric),
        remedy: '',
      })),
  ]
}

function sentence(
  outcome: Verdict['outcome'],
  judged: readonly Compared[],
  { obstacles, terms, runs, caveat }: Compare,
): string {
  const [base, next] = runs
  const runsWords = `${base} and ${plural(next, 'run')}`
  switch (outcome) {
    case 'not-comparable':
      return `${capital(obstacles[0] ?? 'no judged metric was measured by runs of both sides')}.`
    case 'regression':
      return `Over ${runsWords}, ${strongest(judged, outcome)}.`
    case 'improvement':
      return `Over ${runsWords}, ${strongest(judged, outcome)}${caveat}.`
    case 'equal':
      return (
        `Every judged metric is the same within ${percent(terms.equivalent ?? 0)}, over ` +
        `${runsWords}${caveat}.`
      )
    case 'none-proven':
      return base < 2 || next < 2
        ? 'A single run on a side proves nothing: how much runs differ by chance is unknown.'
        : `Nothing is proven over ${runsWords}${unmeasuredWords(judged)}${unseen(judged)}${caveat}.`
    default:
      return unreachable(outcome)
  }
}

/** The most significant of the proven changes. */
function strongest(judged: readonly Compared[], outcome: 'regression' | 'improvement'): string {
  const direction = outcome === 'regression' ? 'worse' : 'better'
  const [first, ...others] = judged
    .filter((metric) => metric.significant && metric.direction === direction)
    .toSorted((a, b) => (a.p ?? 1) - (b.p ?? 1))
  if (first === undefined) return ''
  const more = others.map(({ name }) => name).join(', ')
  return `${changeWords(first)}${more === '' ? '' : `; ${more} too`}`
}

function unmeasuredWords(judged: readonly Compared[]): string {
  const names = unmeasured(judged)
  return names.length === 0 ? '' : `, which did not measure ${listed(names)}`
}

/**
 * Says which change could not have been detected, for the judged time that is known least
 * precisely.
 */
function unseen(judged: readonly Compared[]): string {
  const [known] = judged
    .filter(({ unit, detectable }) => unit === 'ms' && detectable !== null)
    .toSorted((a, b) => b.detectable! - a.detectable!)
  if (known === undefined) return ''
  const change = `a change of ${known.name} below about ${percent(known.detectable!)}`
  return `; ${change} would probably not be detected`
}

/** Formats a change: `execution.p95 rose by 15.2 % (9.1 to 21.6 %), from 10.4 s to 12.0 s`. */
function changeWords({ name, unit, change, base, new: next }: Compared): string {
  const [from, to] = [base, next].map((side) => formatReach(typical(side) ?? 0, unit))
  const ends = `from ${from} to ${to}`
  return change === null ? `${name} went ${ends}` : `${name} ${moved(change)}, ${ends}`
}

/**
 * The value to which the change refers: the median of the runs or, for a share, that of all
 * executions.
 */
export function typical({ median, overall }: ComparedSide): ComparedSide['median'] {
  return overall ?? median
}

function moved(change: Change): string {
  const [value, low, high] = sizes(change)
  const unit = 'ratio' in change ? '%' : 'percentage points'
  const [near, far] = value < 0 ? [-high, -low] : [low, high]
  const way = value < 0 ? 'fell' : 'rose'
  return `${way} by ${rounded(Math.abs(value))} ${unit} (${rounded(near)} to ${rounded(far)})`
}

/** Value, low and high in % or percentage points. */
export function sizes(change: Change): [value: number, low: number, high: number] {
  const { low, high } = change
  return 'ratio' in change
    ? [100 * (change.ratio - 1), 100 * (low - 1), 100 * (high - 1)]
    : [100 * change.difference, 100 * low, 100 * high]
}

/** Rounds to three digits, at most two of them decimals, without trailing zeros. */
export function rounded(size: number): string {
  const digits = Math.abs(size) >= 100 ? 0 : Math.abs(size) >= 10 ? 1 : 2
  const value = Number(size.toFixed(digits))
  return value === 0 ? '0' : String(value)
}

function percent(share: number): string {
  return `${rounded(100 * share)} %`
}

/** Capitalises a text, unless it begins with the name of a metric. */
function capital(text: string): string {
  return /^(?:the|a|no|only|all) /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}
