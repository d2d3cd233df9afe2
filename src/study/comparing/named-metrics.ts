/** Which metrics the sentences of a comparison name, and in what order. */
import type { Change, ComparedSide, ShapesCompared, Terms, Undecided } from './shapes.ts'

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

/** The most certain first; changes that nobody would notice come last. */
export function byNotice(
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
