/**
 * How the thresholds of a run were judged, where a reader must know it: what was requested, and how
 * far a pass is valid.
 */
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import { rateShapeOf } from '../../scenario/arrivals/index.ts'
import { isKept } from '../../result/verdict/judge.ts'
import type { ReportedLoad } from '../../result/verdict/crew-load.ts'
import { loadShare } from '../../result/verdict/crew-load.ts'
import { dependsOnQueue } from '../../result/verdict/promises.ts'
import { threeDigits, formatCount, formatMs, plural } from '../../base/numbers.ts'
import { plainText } from '../frame/format.ts'

/** One sentence each. */
export function judgementSentences(document: ResultDocument): string[] {
  if (!document.verdict.valid && document.verdict.outcome === 'invalid') return []
  return [
    undecidedSentence(document),
    byValueSentence(document),
    promiseSentence(document),
    loadSentence(document),
  ].filter((sentence) => sentence !== null)
}

function undecidedSentence({ plan }: ResultDocument): string | null {
  const { undecided } = plan
  if (undecided === 'inconclusive') return null
  const effect = undecided === 'pass' ? 'do not prevent a pass' : 'count as missed'
  return (
    `Thresholds that their 95 % interval left undecided ${effect}, except default ` +
    `promises, as requested by --inconclusive ${undecided}.`
  )
}

function byValueSentence({ plan, thresholds }: ResultDocument): string | null {
  const asked = new Set(
    plan.thresholds.filter(({ judge }) => judge === 'value').map(({ metric }) => metric),
  )
  const told = thresholds.filter(
    ({ metric, judged, source }) =>
      judged === 'value' && source === 'scenario' && asked.has(metric),
  )
  if (told.length === 0) return null
  return `Judged by value as requested, regardless of the 95 % interval: ${names(told)}.`
}

/** What a run may pass with, though it is not proven. */
function promiseSentence({ thresholds }: ResultDocument): string | null {
  const told = thresholds.filter(
    (each) => each.source === 'default' && each.status === 'undecided' && isKept(each),
  )
  if (told.length === 0) return null
  return (
    `Within the bound by value, but not proven, which does not prevent a pass for a default ` +
    `promise: ${names(told)}.`
  )
}

/**
 * Congestion causes the tail of execution times: a run without congestion shows nothing about it.
 */
function loadSentence({ plan, thresholds, load, reportedLoad }: ResultDocument): string | null {
  const told = thresholds.filter(
    (each) => each.status !== 'unmeasurable' && dependsOnQueue(each.metric),
  )
  const [first] = told
  if (first === undefined) return null
  const thisRun =
    `statements about ${names(told)} apply to this run only, and rarer congestion ` +
    'cannot be excluded'
  if (load === null) {
    return reportedLoad === undefined
      ? `The load of the crew is unknown: ${thisRun}.`
      : `${reportedWords(reportedLoad)}: ${thisRun}.`
  }
  const { n } = first.measured
  const share = `${loadShare(load)} of their capacity`
  // The queue grows at the peak, about which a mean load says nothing.
  if (rateShapeOf(plan.arrivals) === 'varied') {
    return (
      `The crew has ${plural(load.workers, 'worker')}, and the arrivals needed ` +
      `${share} on average; the load varies by plan, so ${thisRun}.`
    )
  }
  return (
    `The crew has ${plural(load.workers, 'worker')}, and the arrivals needed ` +
    `${share}, ${honesty(load.needed, n)}.`
  )
}

/** How many executions the crew could do at once, it does not report. */
function reportedWords({ meanMs, atOnce }: ReportedLoad): string {
  return (
    `By the times that the crew reports (${formatMs(meanMs)} per execution), the arrivals keep ` +
    `${threeDigits(atOnce)} executions at work at once on average; how many it can do at once is ` +
    'unknown'
  )
}

function honesty(needed: number | null, n: number): string {
  if (needed === null) {
    return (
      'which is more than they can do: waiting times grow throughout the run, and no ' +
      'run is long enough for valid intervals'
    )
  }
  if (needed === 0) return 'at which intervals of execution times are reliable'
  const had = plural(n, 'execution')
  return (
    'at which intervals of execution times are reliable from ' +
    `${formatCount(needed)} executions on: this run had ${had}`
  )
}

function names(thresholds: readonly ThresholdResult[]): string {
  return thresholds.map(({ metric }) => plainText(metric, 60)).join(', ')
}
