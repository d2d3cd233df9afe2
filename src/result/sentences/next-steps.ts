/** What to do about a threshold that was not met, in one sentence. */
import { unreachable } from '../../base/assert.ts'
import { formatCount, inNumber, plural } from '../../base/numbers.ts'
import { familyNamed, metricNamed } from '../../scenario/thresholds/metrics.ts'
import type { Doubt, NextStep, RunLength, ThresholdResult } from '../document-parts.schema.ts'
import { countedNoun, doubtWords, isOfRequests } from './undecided.ts'

const FINISH = 'let the run finish'

type JudgedStep = Pick<ThresholdResult, 'metric' | 'doubt' | 'next'>

/** Why it is undecided, and what to do; null where nothing is to be done. */
export function hintWords(judged: JudgedStep): string | null {
  const { metric, doubt, next } = judged
  const remedy = remedyWords(judged)
  const why =
    doubt === null || next === null || !('n' in next) ? null : doubtWords(metric, doubt, next.n)
  if (why === null) return remedy
  return `${why}: ${remedy}`
}

/** What to do; null if it was met, not judged or not measured. */
export function remedyWords({ metric, doubt, next }: JudgedStep): string | null {
  if (next === null) return null
  const noun = countedNoun(metric)
  switch (next.code) {
    case 'look':
      return familyNamed(metric)?.hint ?? 'change the bound'
    case 'lower-load':
      return 'lower the rate or add workers'
    case 'commonest-reason':
      return 'fix the most frequent reason first'
    case 'instances-overlap':
      return 'not known exactly: the instances of the run overlap'
    case 'resolve-doubt':
      return doubtRemedy(metric, doubt!.kind)
    case 'run-longer':
      return lengthWords(next.length)
    case 'measure-more':
      return `${formatCount(next.more)} more`
    case 'narrow-interval': {
      const words = `about ${plural(next.more, `more ${noun}`)} would decide it`
      return `${words}, ${lengthWords(next.length)}${whyMore(metric, next)}`
    }
    case 'let-finish':
      return `${formatCount(next.open)} of ${formatCount(next.n)} have not ended yet: ${FINISH}`
    case 'few-more':
      return `a few more ${noun}s would decide it`
    case 'equals-bound':
      return `the measured value equals the bound: no number of ${noun}s would decide it`
    default:
      return unreachable(next)
  }
}

const REMEDIES = {
  load: 'lower the rate',
  open: FINISH,
  paused: 'raise the deadline, or let somebody answer',
  unreported: 'let the crew report usage_metrics',
  varied: 'keep the rate of interest constant, or judge it by value',
}

function doubtRemedy(metric: string, kind: Doubt['kind']): string {
  if (kind in REMEDIES) return REMEDIES[kind as keyof typeof REMEDIES]
  return isOfRequests(metric)
    ? 'fix what does not answer'
    : 'raise the deadline, or fix what is stuck'
}

function lengthWords(length: RunLength): string {
  if (length === null) return FINISH
  const { times, isBeyondPlan } = length
  const many = times < 100 ? times : formatCount(Math.ceil(times))
  return `a run ${many} times as long${isBeyondPlan ? ' as planned' : ''}`
}

/** Why it takes so many; empty if nothing but chance does. */
function whyMore(
  metric: string,
  { bad, n, independent }: Extract<NextStep, { code: 'narrow-interval' }>,
): string {
  const reasons = [
    ...(bad > 0 ? [`${formatCount(bad)} of ${formatCount(n)} ${badWords(metric, bad)}`] : []),
    ...(independent < n
      ? [`${formatCount(n)} count as ${formatCount(independent)} independent ones`]
      : []),
  ]
  return reasons.length === 0 ? '' : `. ${reasons.join(', and ')}`
}

/** A time is beyond its bound; what a share counts has happened, or not. */
function badWords(metric: string, bad: number): string {
  return 'statistic' in metricNamed(metric)
    ? `${inNumber(bad, 'is', 'are')} beyond the bound`
    : inNumber(bad, 'counts against it', 'count against it')
}

/** The fewest observations that can meet a bound, with what that takes: in plan and report. */
export function leastWords(least: number): string {
  return `${formatCount(least)} that are good and independent`
}
