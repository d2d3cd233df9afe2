/** Sums up a comparison in one sentence. */
import { listed } from '../../base/text.ts'
import { unreachable } from '../../base/assert.ts'
import type { Unit } from '../../base/numbers.ts'
import { formatReach, plural, withSign } from '../../base/numbers.ts'
import type { Obstacle } from './comparable.ts'
import { failedWords, hasFailed, obstacleOf } from './comparable.ts'
import type {
  Change,
  ChangeOutcome,
  ChangeReason,
  ChangeVerdict,
  Changes,
  ComparedSide,
  ShapesCompared,
  Terms,
  Undecided,
} from './shapes.ts'
import { CHANGE_REASONS } from './shapes.ts'
import { reasonOf } from '../frame/findings.ts'

interface Compare {
  metrics: readonly ShapesCompared[]
  obstacles: readonly Obstacle[]
  terms: Terms
  /** The number of runs of each side. */
  runs: readonly [base: number, next: number]
  /** How the runs differ beside what was changed: `the runs have different plans`; null if not. */
  unlike: string | null
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

export function reachVerdict(compare: Compare): ChangeVerdict {
  const judged = compare.metrics.filter((metric) => metric.judged)
  const outcome = outcomeOf(judged, compare)
  return {
    outcome,
    reasons: reasonsOf(judged, compare),
    sentence: sentence(outcome, judged, compare),
    stated: statedBy(outcome, compare),
  }
}

function statedBy(outcome: ChangeOutcome, { obstacles }: Compare): ChangeVerdict['stated'] {
  if (outcome === 'regression') return 'worse'
  if (outcome === 'improvement') return 'better'
  return obstacles.length > 0 ? 'not-comparable' : null
}

/** The judged metrics for which the runs of a side are too short. */
export function unmeasured(metrics: readonly ShapesCompared[]): string[] {
  return metrics
    .filter(({ judged, base, new: next }) => judged && Math.min(base.runs, next.runs) === 0)
    .map(({ name }) => name)
}

/** The judged metrics of which the runs show too little, or too bad a thing, to decide. */
export function undecidedOf(
  metrics: readonly ShapesCompared[],
): (ShapesCompared & { undecided: Undecided })[] {
  return metrics.flatMap((metric) => {
    const { judged, undecided } = metric
    return judged && undecided !== null ? [{ ...metric, undecided }] : []
  })
}

function outcomeOf(
  judged: readonly ShapesCompared[],
  { obstacles, terms }: Compare,
): ChangeOutcome {
  if (obstacles.length > 0 || isNothingMeasured(judged)) return 'not-comparable'
  const proven = judged.filter(({ significant }) => significant)
  if (proven.some(({ direction }) => direction === 'worse')) return 'regression'
  if (proven.length > 0) return 'improvement'
  if (terms.equivalent !== null && judged.every(({ equal }) => equal === true)) return 'equal'
  return 'none-proven'
}

function isNothingMeasured(judged: readonly ShapesCompared[]): boolean {
  return unmeasured(judged).length === judged.length
}

export function unmeasuredWords(name: string): string {
  return `${name} was not measured by runs of both sides`
}

/** Why a judged metric was not decided; null if a sentence about all of them says it. */
export function undecidedReason(
  metric: ShapesCompared & { undecided: Undecided },
): ChangeReason | null {
  const { undecided, moreRuns } = metric
  if (undecided === 'one-run') return null
  return reasonOf(CHANGE_REASONS, undecided, undecidedWords(metric), moreRuns)
}

function undecidedWords(metric: ShapesCompared & { undecided: Undecided }): string {
  const { name, undecided, base, new: next } = metric
  switch (undecided) {
    case 'unmeasured':
      return unmeasuredWords(name)
    case 'missing':
      return `${name} has a value in ${base.runs} base runs, but only in ${next.runs} new runs`
    case 'units':
      return `${name} has different units in these runs`
    case 'never':
      return base.median === 'never' && next.median === 'never'
        ? `${name} is never on both sides, so that it cannot get worse`
        : `${name} is never in more of the new runs than of the base runs, which is not proven`
    case 'too-few':
      return `${changeWords(metric)}, in all runs, and so few runs cannot prove that`
    case 'one-run':
      return ONE_RUN
    default:
      return unreachable(undecided)
  }
}

function reasonsOf(
  judged: readonly ShapesCompared[],
  { obstacles, runs }: Compare,
): ChangeReason[] {
  const isLonely = runs.some((count) => count < 2)
  return [
    ...obstacles.map(({ message }) => reasonOf(CHANGE_REASONS, 'not-comparable', message)),
    ...(isNothingMeasured(judged)
      ? [reasonOf(CHANGE_REASONS, 'nothing-measured', NOTHING_MEASURED.message)]
      : undecidedOf(judged).flatMap((metric) => undecidedReason(metric) ?? [])),
    ...(isLonely ? [reasonOf(CHANGE_REASONS, 'one-run', ONE_RUN)] : []),
    ...byNotice(
      judged.filter(({ significant }) => significant),
      judged,
    ).map((metric) => reasonOf(CHANGE_REASONS, metric.direction ?? 'other', changeWords(metric))),
  ]
}

const NOTHING_MEASURED = obstacleOf('no judged metric was measured by runs of both sides')
const BY_CHANCE = ': how much runs differ by chance is unknown'
const ONE_RUN = 'a single run does not show how much runs differ by chance'

function sentence(
  outcome: ChangeOutcome,
  judged: readonly ShapesCompared[],
  { obstacles, terms, runs, unlike, caveat }: Compare,
): string {
  const [base, next] = runs
  const runsWords = `${base} and ${plural(next, 'run')}`
  switch (outcome) {
    case 'not-comparable':
      return (obstacles[0] ?? NOTHING_MEASURED).sentence
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
        ? `A single run on a side proves nothing${unlike === null ? BY_CHANCE : `, and ${unlike}`}.`
        : `Nothing is proven over ${runsWords}${unmeasuredClause(judged)}${open(judged, terms)}${caveat}.`
    default:
      return unreachable(outcome)
  }
}

/** The most significant of the proven changes that somebody would notice, or else of the others. */
function strongest(
  judged: readonly ShapesCompared[],
  outcome: 'regression' | 'improvement',
): string {
  const direction = outcome === 'regression' ? 'worse' : 'better'
  const [first, ...others] = byNotice(
    judged.filter((metric) => metric.significant && metric.direction === direction),
    judged,
  )
  if (first === undefined) return ''
  const more = others.map(({ name }) => name).join(', ')
  return `${changeWords(first)}${more === '' ? '' : `; ${more} too`}`
}

/** The most certain first; changes that nobody would notice come last. */
function byNotice(
  some: readonly ShapesCompared[],
  judged: readonly ShapesCompared[],
): ShapesCompared[] {
  const rank = (metric: ShapesCompared): number => (isNoticed(metric, judged) ? 0 : 1)
  return some.toSorted((a, b) => rank(a) - rank(b) || (a.p ?? 1) - (b.p ?? 1))
}

/** In an execution of seconds, nobody notices a shorter time. */
const UNNOTICED_MS = 50
const SECOND_MS = 1_000

/**
 * Whether somebody would notice the change: a time that differs by less than 50 ms is not noticed
 * beside a judged time of a second or more.
 */
function isNoticed(metric: ShapesCompared, judged: readonly ShapesCompared[]): boolean {
  return wouldNotice(metric, Math.abs(msOf(metric.new) - msOf(metric.base)), judged)
}

/** Whether somebody would notice a change of this share of the base. */
export function wouldNoticeShare(
  metric: ShapesCompared,
  share: number,
  judged: readonly ShapesCompared[],
): boolean {
  return wouldNotice(metric, share * msOf(metric.base), judged)
}

function wouldNotice(
  { unit }: ShapesCompared,
  ms: number,
  judged: readonly ShapesCompared[],
): boolean {
  const longest = Math.max(...judged.map((each) => (each.unit === 'ms' ? msOf(each.base) : 0)))
  return unit !== 'ms' || longest < SECOND_MS || ms >= UNNOTICED_MS
}

function msOf(side: ComparedSide): number {
  const value = side.typical
  return value === 'never' ? Infinity : (value ?? 0)
}

/**
 * The change for the worse that is most likely, though not proven: its interval excludes that
 * nothing changed, and it is large enough to count and to be noticed. Undefined if there is none.
 */
export function likeliest(
  judged: readonly ShapesCompared[],
  { smallestChange, smallestDifference }: Pick<Terms, 'smallestChange' | 'smallestDifference'>,
): ShapesCompared | undefined {
  const likely = judged.filter((metric) => {
    const { change, direction, significant } = metric
    if (change === null || direction !== 'worse' || significant) return false
    const [value, low, high] = sizes(change)
    if (low === null || high === null || (low <= 0 && high >= 0)) return false
    const least = 100 * ('ratio' in change ? smallestChange : smallestDifference)
    return Math.abs(value) >= least && isNoticed(metric, judged)
  })
  return byNotice(likely, judged)[0]
}

function unmeasuredClause(judged: readonly ShapesCompared[]): string {
  const names = unmeasured(judged)
  return names.length === 0 ? '' : `, which did not measure ${listed(names)}`
}

/** Says what stays open: the likeliest change, or which one could not have been detected. */
function open(judged: readonly ShapesCompared[], terms: Terms): string {
  const likely = likeliest(judged, terms)
  if (likely !== undefined) return `; the likeliest change: ${changeWords(likely)}`
  const apart = undecidedOf(judged).find(
    ({ undecided }) => undecided === 'too-few' || undecided === 'never',
  )
  return apart === undefined ? unseen(judged) : `; ${undecidedWords(apart)}`
}

/** For the judged time that is known least precisely, of those whose change would be noticed. */
function unseen(judged: readonly ShapesCompared[]): string {
  const [known] = judged
    .filter((metric) => {
      const { unit, detectable } = metric
      return unit === 'ms' && detectable !== null && wouldNoticeShare(metric, detectable, judged)
    })
    .toSorted((a, b) => b.detectable! - a.detectable!)
  if (known === undefined) return ''
  const change = `a change of ${known.name} below about ${percent(known.detectable!)}`
  return `; ${change} would probably not be detected`
}

/** Formats a change: `execution.p95 rose by 15.2 % (9.1 to 21.6 %), from 10.4 s to 12.0 s`. */
export function changeWords({ name, unit, change, base, new: next }: ShapesCompared): string {
  const [from, to] = [base, next].map((side) => formatReach(side.typical ?? 0, unit))
  const ends = `from ${from} to ${to}`
  return change === null ? `${name} went ${ends}` : `${name} ${moved(change)}, ${ends}`
}

function moved(change: Change): string {
  const [value, low, high] = sizes(change)
  const unit = 'ratio' in change ? '%' : 'percentage points'
  const size = `${value < 0 ? 'fell' : 'rose'} by ${rounded(Math.abs(value))} ${unit}`
  if (low === null || high === null) return size
  const [near, far] = value < 0 ? [-high, -low] : [low, high]
  return `${size} (${rounded(near)} to ${rounded(far)})`
}

/** Value, low and high in % or percentage points. */
export function sizes(change: Change): [value: number, low: number | null, high: number | null] {
  if ('difference' in change) {
    return [100 * change.difference, times100(change.low), times100(change.high)]
  }
  const { ratio, low, high } = change
  return [100 * (ratio - 1), less1(low), less1(high)]
}

function times100(share: number | null): number | null {
  return share === null ? null : 100 * share
}

function less1(ratio: number | null): number | null {
  return ratio === null ? null : 100 * (ratio - 1)
}

/** Rounds to three digits, at most two of them decimals, without trailing zeros. */
export function rounded(size: number): string {
  const digits = Math.abs(size) >= 100 ? 0 : Math.abs(size) >= 10 ? 1 : 2
  const value = Number(size.toFixed(digits))
  return value === 0 ? '0' : String(value)
}

export function percent(share: number): string {
  return `${rounded(100 * share)} %`
}

/** The size of a change of a metric: `15.2 %`, of a share `1.5 percentage points`. */
export function percentOf(unit: Unit | null, size: number): string {
  return unit === 'share' ? `${rounded(100 * size)} percentage points` : percent(size)
}

/** The smallest change that counts: `5 % (shares: 1 percentage point)`. */
export function leastWords({
  smallestChange,
  smallestDifference,
}: Pick<Terms, 'smallestChange' | 'smallestDifference'>): string {
  return `${percent(smallestChange)} (shares: ${rounded(100 * smallestDifference)} percentage point)`
}

/** In % or percentage points: `+15.2`, `0`, `−3.1`. */
export function signed(size: number): string {
  const text = rounded(size)
  return withSign(text === '0' ? 0 : size, text)
}
