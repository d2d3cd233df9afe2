/** Computes how far two shares lie apart that were counted in several runs each. */
import { studentP } from './two-means.ts'
import { studentT } from '../beta.ts'
import type { Counted } from '../batches.ts'

interface ShareDifference {
  /** The second share minus the first. */
  value: number
  low: number
  high: number
  /** The two-sided p value. */
  p: number
  /** The standard error of the difference. */
  error: number
  /**
   * The factor by which the runs of a side vary more than counts of independent events: 1 or more.
   */
  dispersion: number
  /** The degrees of freedom of Student's t. */
  degrees: number
}

/** The largest t of the search, which lies beyond any useful confidence. */
const LARGEST_T = 1_000
const HALVINGS = 60
/** The weight of the assumption that runs vary only by counting, which is mostly true. */
const PRIOR_DEGREES = 10
/** With this many degrees of freedom, Student's t equals the normal distribution to 6 digits. */
const NORMAL = 1_000_000

/**
 * Compares two shares by the interval of Newcombe ("Interval estimation for the difference between
 * independent proportions", 1998, method 10), whose limits are those of Wilson's intervals. If the
 * runs of a side vary more than independent counts do, the counts are worth less by that factor.
 * The dispersion is Pearson's statistic divided by its degrees of freedom, shrunk towards 1 with
 * the weight of `PRIOR_DEGREES`, because a few runs alone estimate it so badly that nothing would
 * be found. `p` follows from the interval: at a confidence of 1 - p, one of its ends is at 0. Null
 * if a side has no counts.
 */
export function compareShares(
  first: readonly Counted[],
  second: readonly Counted[],
  confidence = 0.95,
): ShareDifference | null {
  const [one, other] = [pooled(first), pooled(second)]
  if (one.n === 0 || other.n === 0) return null
  const { dispersion, degrees } = dispersionOf([first, second])
  const [a, b] = [shrunk(one, dispersion), shrunk(other, dispersion)]
  const value = b.share - a.share
  const { low, high } = newcombe(a, b, studentT(degrees, confidence))
  const p = value === 0 ? 1 : studentP(excludingZero(a, b), degrees)
  const error = Math.hypot(errorOf(a), errorOf(b))
  return { value, low, high, p, error, dispersion, degrees }
}

interface Sized {
  share: number
  n: number
}

export function pooled(runs: readonly Counted[]): Counted {
  return runs.reduce((sum, { hits, n }) => ({ hits: sum.hits + hits, n: sum.n + n }), {
    hits: 0,
    n: 0,
  })
}

function shrunk({ hits, n }: Counted, dispersion: number): Sized {
  return { share: hits / n, n: n / dispersion }
}

/**
 * Returns the standard error; for a share of 0 or 1 as if there were one more of each kind, because
 * nothing is that certain.
 */
function errorOf({ share, n }: Sized): number {
  const own = (share * n + 1) / (n + 2)
  return Math.sqrt((own * (1 - own)) / n)
}

function dispersionOf(
  sides: readonly (readonly Counted[])[],
): Pick<ShareDifference, 'dispersion' | 'degrees'> {
  let statistic = 0
  let degrees = 0
  for (const runs of sides) {
    const { hits, n: all } = pooled(runs)
    const share = hits / all
    if (share === 0 || share === 1) continue
    degrees += runs.filter(({ n }) => n > 0).length - 1
    for (const { hits: own, n } of runs) {
      if (n > 0) statistic += (own - n * share) ** 2 / (n * share * (1 - share))
    }
  }
  if (degrees === 0) return { dispersion: 1, degrees: NORMAL }
  const weighed = degrees + PRIOR_DEGREES
  return { dispersion: Math.max(1, (statistic + PRIOR_DEGREES) / weighed), degrees: weighed }
}

function newcombe(a: Sized, b: Sized, reach: number): { low: number; high: number } {
  const [first, second] = [wilson(a, reach), wilson(b, reach)]
  const value = b.share - a.share
  return {
    low: value - Math.hypot(b.share - second.low, first.high - a.share),
    high: value + Math.hypot(second.high - b.share, a.share - first.low),
  }
}

/** Wilson's interval ("Probable inference", 1927). */
function wilson({ share, n }: Sized, reach: number): { low: number; high: number } {
  const own = reach ** 2 / n
  const center = (share + own / 2) / (1 + own)
  const half = (reach / (1 + own)) * Math.sqrt((share * (1 - share)) / n + own / (4 * n))
  return { low: share === 0 ? 0 : center - half, high: share === 1 ? 1 : center + half }
}

/** Returns the t at which one end of the interval is at 0. */
function excludingZero(a: Sized, b: Sized): number {
  let [inside, outside] = [0, LARGEST_T]
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (inside + outside) / 2
    const { low, high } = newcombe(a, b, middle)
    if (low > 0 || high < 0) inside = middle
    else outside = middle
  }
  return inside
}
