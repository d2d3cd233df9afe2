/**
 * Determines whether several runs measured the same, with the reasons if not, and the verdict in
 * one sentence.
 */
import { unreachable } from '../../../base/assert.ts'
import { formatDuration } from '../../../base/units.ts'
import type { StudyEnd } from '../../frame/envelope.ts'
import { listed } from '../../frame/words.ts'
import type {
  AgreementRun,
  AgreementVerdict,
  Aspect,
  Comparison,
  DistributionAspect,
  QuantileAspect,
  TimeName,
} from '../document.ts'
import {
  formatCount,
  formatMetric,
  formatMs,
  formatValue,
  plural,
} from '../../../analysis/metrics/format.ts'
import type { Reason } from '../../../analysis/document.ts'
import { smallestP } from '../../../analysis/statistics/kolmogorov-smirnov.ts'

/**
 * A run that cannot be trusted decides first; then differences; then what could not be compared.
 */
export function reachAgreement(
  runs: readonly AgreementRun[],
  comparisons: readonly Comparison[],
  ended: StudyEnd,
): AgreementVerdict {
  const invalid = runs.flatMap(invalidity)
  const differences = [...runs.flatMap(ownDifferences), ...comparisons.flatMap(differencesOf)]
  const doubts = [
    ...runs.flatMap(ownDoubts),
    ...comparisons.flatMap(doubtsOf),
    ...loneliness(runs, ended),
  ]
  const outcome =
    invalid.length > 0
      ? 'invalid'
      : differences.length > 0
        ? 'differ'
        : doubts.length > 0
          ? 'inconclusive'
          : 'agree'
  const reasons = [
    ...reasonsOf('invalid', invalid),
    ...reasonsOf('differs', differences),
    ...reasonsOf('unknown', doubts),
  ]
  return { outcome, reasons, sentence: sentence(outcome, reasons, runs, comparisons) }
}

/** The messages already say what to do, so there is no separate remedy. */
function reasonsOf(code: string, messages: readonly string[]): Reason[] {
  return messages.map((message) => ({ code, message, remedy: '' }))
}

function invalidity({ name, verdict }: AgreementRun): string[] {
  if (verdict.valid) return []
  const why = verdict.reasons[0]?.message ?? 'its measurement cannot be trusted'
  return [`${name} is INVALID: ${why}`]
}

function ownDifferences({ name, schedule, ledger }: AgreementRun): string[] {
  return [
    ...(schedule === null || schedule.ok
      ? []
      : [
          `${name} sent kickoffs late: p99 ${formatMs(schedule.p99Ms)}, bound ` +
            formatMs(schedule.boundMs),
        ]),
    ...(ledger === null || ledger.disagreements === 0
      ? []
      : [`${name} and its ledger disagree on ${plural(ledger.disagreements, 'execution')}`]),
  ]
}

function ownDoubts({ name, ledger }: AgreementRun): string[] {
  return ledger === null ? [`the ledger of ${name} could not be read`] : []
}

function loneliness(runs: readonly AgreementRun[], ended: StudyEnd): string[] {
  const [only] = runs
  const names = listed(runs.map(({ name }) => name))
  if (ended === 'budget') {
    const told = runs.length === 0 ? 'one run' : `another run after ${names}`
    return [`the rest of the budget did not suffice for ${told}`]
  }
  if (only === undefined) return ['no run came to its end: nothing to compare']
  return runs.length > 1 ? [] : [`only ${only.name} ran: nothing to compare with`]
}

function differencesOf({ reference, run, aspects }: Comparison): string[] {
  return told(
    aspects.filter(({ status }) => status === 'differs'),
    { reference, run },
  )
}

/**
 * Reports only the largest difference among the quantiles of one time and names the others: they
 * are one finding.
 */
function told(
  aspects: readonly Aspect[],
  { reference, run }: Pick<Comparison, 'reference' | 'run'>,
): string[] {
  return aspects.flatMap((aspect) => {
    const words = differenceWords(aspect, reference, run)
    if (aspect.kind !== 'quantile') return words
    const [farthest, ...others] = aspects
      .filter((each) => each.kind === 'quantile')
      .filter(({ name }) => timeOf(name) === timeOf(aspect.name))
      .toSorted((a, b) => distanceOf(b) - distanceOf(a))
    if (farthest !== aspect) return []
    const names = others.map(({ name }) => name.slice(name.indexOf('.') + 1)).toSorted()
    const more = names.length === 0 ? '' : `; ${listed(names)} too`
    const enough = farthest.wouldTell
    return words + more + (enough === null ? '' : `; about ${formatCount(enough)} would decide it`)
  })
}

function timeOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

function distanceOf({ differenceShare }: QuantileAspect): number {
  return Math.abs(differenceShare ?? 0)
}

/** Says how far apart two runs are in one aspect, beside the allowed difference. */
function differenceWords(aspect: Aspect, reference: string, run: string): string {
  const { kind, name } = aspect
  switch (kind) {
    case 'count':
      return (
        `${name}: ${formatCount(aspect.reference)} under ${reference}, ` +
        `${formatCount(aspect.measured)} under ${run}`
      )
    case 'arrival-times':
      return (
        `arrival times under ${reference} and ${run}: up to ` +
        `${formatDuration(aspect.largestMicros ?? 0)} apart, bound ` +
        formatDuration(aspect.boundMicros)
      )
    case 'quantile':
      return (
        `${name}: ${formatMetric(aspect.reference)} under ${reference}, ` +
        `${formatMetric(aspect.measured)} under ${run}${apartWords(aspect)}`
      )
    case 'distribution':
      return `${name} under ${reference} and ${run}: ${testWords(aspect)}`
    default:
      return unreachable(kind)
  }
}

function apartWords({ reference, measured, differenceShare, allowedMs }: QuantileAspect): string {
  if (allowedMs === null || reference.value === null || measured.value === null) return ''
  const apart = formatMs(Math.abs(measured.value - reference.value))
  const share =
    differenceShare === null ? '' : ` (${formatValue(Math.abs(differenceShare), 'share')})`
  return `: ${apart} apart${share}, bound ${formatMs(allowedMs)}`
}

/** For example `p 0.0000310, bound 0.001; the two curves are up to 12.4 % apart`. */
function testWords({ test, leastP }: DistributionAspect): string {
  if (test === null) return 'too few to compare'
  return (
    `p ${formatP(test.p)}, bound ${leastP}; the two curves are up to ` +
    `${formatValue(test.distance, 'share')} apart`
  )
}

/** Writes a p-value; below one in a million, more digits add no information. */
export function formatP(p: number): string {
  return p < 1e-6 ? 'under 0.000001' : String(Number(p.toPrecision(2)))
}

function doubtsOf({ reference, run, incomparable, aspects }: Comparison): string[] {
  if (incomparable !== null) return [`${run} cannot be compared with ${reference}: ${incomparable}`]
  const few = aspects.filter(({ status }) => status === 'too-few')
  const unclear = few.filter((each) => each.kind === 'quantile' && each.differenceShare !== null)
  return [
    ...told(unclear, { reference, run }).map(
      (words) => `too few executions to distinguish from chance: ${words}`,
    ),
    ...few.flatMap((aspect) => untestable(aspect, reference, run) ?? []),
  ]
}

/**
 * Tail quantiles that a sample does not reach cause no doubt: the other quantiles, and the test of
 * the whole distribution, remain.
 */
function untestable(aspect: Aspect, reference: string, run: string): string | null {
  if (aspect.kind !== 'distribution' || aspect.name !== 'execution.distribution') return null
  const needed = fewestFor(aspect.leastP)
  return (
    `too few ended executions to compare the times of ${reference} and ${run}: ` +
    `${needed} each are needed`
  )
}

/** The smallest size of each sample at which the test can distinguish two samples. */
function fewestFor(leastP: number): number {
  let n = 1
  while (smallestP(n, n) > leastP) n++
  return n
}

/**
 * For example `node and k6 measured the same 600 arrivals alike; execution times within 0.84 %,
 * detection delays within 2.10 %.`
 */
function sentence(
  outcome: AgreementVerdict['outcome'],
  reasons: readonly Reason[],
  runs: readonly AgreementRun[],
  comparisons: readonly Comparison[],
): string {
  const names = listed(runs.map(({ name }) => name))
  if (outcome !== 'agree') {
    const first = sentenceCase(reasons[0]?.message ?? '')
    const more = reasons.length > 1 ? ` (and ${plural(reasons.length - 1, 'more reason')})` : ''
    const whole = outcome === 'differ' ? `${names} did not measure the same. ` : ''
    return `${whole}${first}${more}.`
  }
  const alike = `${names} measured the same ${plural(runs[0]?.arrivals ?? 0, 'arrival')} alike`
  const closeness = [
    ...closenessOf('execution', 'execution times', comparisons),
    ...closenessOf('detectionDelay', 'detection delays', comparisons),
  ]
  const within = closeness.length === 0 ? '' : `; ${closeness.join(', ')}`
  return `${alike}${within}.`
}

/** Capitalises the sentence, except when it begins with the name of an engine or a metric. */
function sentenceCase(message: string): string {
  return /^(the|only|too|no|arrival) /.test(message)
    ? message.charAt(0).toUpperCase() + message.slice(1)
    : message
}

function closenessOf(time: TimeName, words: string, comparisons: readonly Comparison[]): string[] {
  const shares = comparisons.flatMap(({ aspects }) =>
    aspects.flatMap((aspect) =>
      aspect.kind === 'quantile' && aspect.name.startsWith(time) && aspect.differenceShare !== null
        ? Math.abs(aspect.differenceShare)
        : [],
    ),
  )
  return shares.length === 0 ? [] : [`${words} within ${formatValue(Math.max(...shares), 'share')}`]
}
