/**
 * What every report says about a run as a whole: verdict, thresholds met, extent. It is written
 * once, so no two reports differ.
 */
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import { arrivalWords, earlyStopOf, unsentOf } from '../../result/ending/outcome-counts.ts'
import { formatMs, plural } from '../../base/numbers.ts'
import { finite } from '../../result/statistics/quantiles.ts'
import { plainText } from '../text/format.ts'
import { earlyStopWords } from '../../result/sentences/early-ends.ts'
import type { RunReason } from '../../result/sentences/reasons.ts'
import { STANDINGS, standingOf } from './thresholds.ts'

/** The value of a metric; null where it was not measured. */
export function metricValueIn(
  document: Pick<ResultDocument, 'metrics'>,
  metric: string,
): number | null {
  return finite(document.metrics[metric]?.value ?? null)
}

/** `5 of 6 thresholds met, 1 missed`, or `no thresholds`. */
export function thresholdSummary({ thresholds }: ResultDocument): string {
  const all = thresholds.length
  if (all === 0) return 'no thresholds'
  const count = (wanted: string): number =>
    thresholds.filter((each) => standingOf(each) === wanted).length
  if (count('notJudged') === all) return `${plural(all, 'threshold')}, not judged`
  const { met: _met, ...others } = STANDINGS
  const rest = Object.entries(others)
    .filter(([standing]) => count(standing) > 0)
    .map(([standing, { word }]) => `, ${count(standing)} ${word}`)
  return `${count('met')} of ${plural(all, 'threshold')} met${rest.join('')}`
}

/** `3 h 04 min, 360 executions`, and a note when the run ended before its plan did. */
export function extentWords(document: ResultDocument): string {
  const { run, arrivals, outcomes } = document
  const length = formatMs(run.durationMs)
  if (run.stopped === 'crashed') {
    const ended = plural(arrivals - unsentOf(outcomes), 'execution')
    return `${length}, ${ended} ended before it was cut`
  }
  const words = `${length}, ${arrivalWords(arrivals, outcomes)}`
  const stop = earlyStopOf(document)
  return stop === null ? words : `${words}, ${plainText(earlyStopWords(stop))}`
}

/** Names the engine: `k6`; `k6, 4 instances`; `virtual, network loopback`. */
export function engineWords({ run }: ResultDocument): string {
  const { engine, instances, network } = run
  const count = instances > 1 ? [plural(instances, 'instance')] : []
  const simulated = network === null ? [] : [`network ${plainText(network.name)}`]
  return [engine, ...count, ...simulated].join(', ')
}

/** The reasons of a verdict without those that every report shows with their thresholds. */
export function otherReasons({ verdict, thresholds }: ResultDocument): RunReason[] {
  return verdict.reasons.filter(
    (reason) =>
      !('metric' in reason) ||
      !thresholds.some(
        ({ metric, status }) => metric === reason.metric && CODES[status] === reason.code,
      ),
  )
}

const CODES: Partial<Record<ThresholdResult['status'], RunReason['code']>> = {
  missed: 'threshold',
  undecided: 'undecided',
  unmeasurable: 'unmeasurable',
}
