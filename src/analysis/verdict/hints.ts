/** What to do about a threshold that was not met: the next step, in one sentence. */
import { unreachable } from '../../base/assert.ts'
import { familyOf, parseMetric } from '../../scenario/thresholds/metrics/index.ts'
import type { Metric, ThresholdResult } from '../document.ts'
import { formatCount, plural } from '../metrics/format.ts'
import { leastToDecide } from '../statistics/planning.ts'
import type { BoundCount } from './bound-count.ts'
import type { Circumstances } from './circumstances.ts'
import { isMetBy } from './bound-count.ts'

interface Grounds {
  measured: Metric
  count: BoundCount | null
  more: number | null
  circumstances: Circumstances
}

/** Null if it was met. */
export function hintFor(
  metric: string,
  status: ThresholdResult['status'],
  grounds: Grounds,
): string | null {
  switch (status) {
    case 'met':
      return null
    case 'missed':
      return grounds.measured.value === 'never' ? NEVER_HINT : missHint(metric)
    case 'undecided':
      return undecidedHint(metric, grounds)
    case 'unmeasurable':
      return 'nothing to measure: see the outcomes'
    default:
      return unreachable(status)
  }
}

const NEVER_HINT = 'see the unserved executions in the report, by reason and error class'

function undecidedHint(metric: string, { count, more, circumstances }: Grounds): string {
  if (count === null) return hiddenHint(metric)
  const what = countedNoun(metric)
  const { n, open } = count
  if (isHiddenByPeople(count, circumstances)) {
    return (
      `${formatCount(circumstances.paused)} of ${formatCount(n)} still waited for a person at ` +
      'the deadline: raise the deadline, or let somebody answer'
    )
  }
  if (more !== null && circumstances.neededAtLoad !== null && n < circumstances.neededAtLoad) {
    return (
      'at this crew load, a valid interval needs ' +
      `${formatCount(Math.ceil(circumstances.neededAtLoad))} executions: ` +
      `${formatCount(more)} more`
    )
  }
  const least = leastToDecide(count.allowed)
  if (least !== null && n < least) {
    const had = `${plural(n, what.slice(0, -1))} ${n === 1 ? 'is' : 'are'}`
    const longer = howLong(n, Math.max(least - n, more ?? 0), circumstances)
    return `${had} too few to meet this bound: at least ${formatCount(least)} are needed, ${longer}`
  }
  if (circumstances.isVaried && isHiddenByVariation(metric, count)) return VARIED_HINT
  if (more !== null && more > 0) {
    return (
      `about ${formatCount(more)} more ${what} would decide it, ` + howLong(n, more, circumstances)
    )
  }
  if (open > 0)
    return `${formatCount(open)} of ${formatCount(n)} have not ended yet: let the run finish`
  if (circumstances.neededAtLoad === Infinity) {
    return (
      'more executions arrive than the crew can complete: waiting times grow ' +
      'throughout the run; lower the rate'
    )
  }
  return 'the measured value equals the bound: no number of executions would decide it'
}

const VARIED_HINT =
  'some took more than half the bound, and under a load that varies by plan this ' +
  'may be chance: keep the rate of interest constant, or judge it by value'

/** With the executions that still waited for a person on the good side, it would be met. */
function isHiddenByPeople(count: BoundCount, { paused }: Circumstances): boolean {
  return paused > 0 && count.open >= paused && isMetBy({ ...count, open: count.open - paused })
}

/** If all were independent, the bound would be met. */
function isHiddenByVariation(metric: string, count: BoundCount): boolean {
  const reference = parseMetric(metric)
  if (reference === undefined || !('statistic' in reference)) return false
  return isMetBy({ ...count, effectiveToMeet: count.n })
}

/** A run that was cut only has to finish, if its plan has enough executions. */
function howLong(n: number, more: number, { planned }: Circumstances): string {
  const whole = n * planned
  if (planned > 1 && n + more <= whole) return 'let the run finish'
  const times = Math.ceil(((n + more) / whole) * 10) / 10
  return (
    `a run ${times < 100 ? times : formatCount(Math.ceil(times))} times as ` +
    `long${planned > 1 ? ' as planned' : ''}`
  )
}

/** One more observation of this metric is one of these. */
function countedNoun(metric: string): string {
  const reference = parseMetric(metric)
  const isOfRequests = reference !== undefined && familyOf(reference).observation === 'request'
  return isOfRequests ? 'requests' : 'executions'
}

/** What hides the value: censored times. */
function hiddenHint(metric: string): string {
  const kind = parseMetric(metric)?.kind
  return kind === 'request' || kind === 'kickoffResponse'
    ? 'hidden by requests that timed out: see the errors in the report, and fix ' +
        'what does not answer'
    : 'hidden by executions that did not end: raise the deadline, or fix what is stuck'
}

/** Says where to look first when the threshold of this metric was missed. */
function missHint(metric: string): string {
  const reference = parseMetric(metric)
  return reference === undefined ? 'see the report' : familyOf(reference).hint
}
