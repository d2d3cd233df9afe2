/**
 * What every report says about a run as a whole: verdict, thresholds met, extent. It is written
 * once, so no two reports differ.
 */
import type { Reason, ResultDocument, ThresholdResult, Verdict } from '../../result/document.ts'
import { arrivalWords, stopWords, unsentOf } from '../../result/ending/endings.ts'
import { formatCount, formatInstant, formatMs, plainText, plural } from '../frame/format.ts'
import { OTHER_STANDINGS, standingOf } from './standing.ts'
import type { Standing } from './standing.ts'

/** `PASSED`, `PASSED WITH 2 PROBLEMS`: green is for a run without a problem. */
export function verdictWord({ outcome, problems }: Verdict): string {
  const { word } = VERDICTS[outcome]
  return problems === 0 ? word : `${word} WITH ${plural(problems, 'PROBLEM', 'PROBLEMS')}`
}

export function verdictSign({ outcome, problems }: Verdict): string {
  return problems === 0 ? VERDICTS[outcome].sign : '!'
}

/** Each verdict has a word and a sign, because colour alone is never enough. */
const VERDICTS: Record<Verdict['outcome'], { word: string; sign: string }> = {
  passed: { word: 'PASSED', sign: '✓' },
  failed: { word: 'FAILED', sign: '✗' },
  invalid: { word: 'INVALID', sign: '!' },
  inconclusive: { word: 'INCONCLUSIVE', sign: '?' },
  unreachable: { word: 'UNREACHABLE', sign: '✗' },
}

/** The beginning of the kickoff id, or the arrival's number when it never received one. */
export function exampleName(example: { kickoffId: string | null; index: number | null }): string {
  if (example.kickoffId !== null) return shortId(example.kickoffId)
  return example.index === null ? 'an unclaimed execution' : `arrival ${example.index}`
}

/** The first eight characters of a kickoff id, marked as shortened. */
export function shortId(id: string): string {
  const text = plainText(id)
  return text.length > 8 ? `${text.slice(0, 8)}..` : text
}

/** `6 of 6 thresholds`, or `no thresholds`. */
export function thresholdSummary(document: ResultDocument): string {
  const all = document.thresholds.length
  if (all === 0) return 'no thresholds'
  const count = (wanted: Standing): number =>
    document.thresholds.filter((each) => standingOf(each) === wanted).length
  if (count('notJudged') === all) return `${plural(all, 'threshold')}, not judged`
  const others = OTHER_STANDINGS.filter(([standing]) => count(standing) > 0).map(
    ([standing, words]) => `, ${count(standing)} ${words}`,
  )
  return `${count('met')} of ${plural(all, 'threshold')} met${others.join('')}`
}

export function validityWords(document: ResultDocument): string {
  return document.verdict.valid ? 'measurement valid' : 'measurement not valid'
}

/** `one second stands for a minute`; null at real speed. */
export function lapseWords(speed: number): string | null {
  return speed === 1 ? null : `one second stands for ${secondAt(speed)}`
}

/** The time that a second represents at that speed: `a minute`, `an hour`, `2 minutes`, `90 s`. */
function secondAt(speed: number): string {
  for (const [one, seconds, noun] of LAPSES) {
    if (speed === seconds) return one
    if (speed % seconds === 0) return plural(speed / seconds, noun)
  }
  return `${formatCount(speed)} s`
}

const LAPSES = [
  ['a day', 86_400, 'day'],
  ['an hour', 3_600, 'hour'],
  ['a minute', 60, 'minute'],
] as const

/** `3 h 04 min, 360 executions`, and a note when the run ended before its plan did. */
export function extentWords(document: ResultDocument): string {
  const { run, arrivals, outcomes } = document
  const length = formatMs(run.durationMs)
  if (run.stopped === 'crashed') {
    const ended = plural(arrivals - unsentOf(outcomes), 'execution')
    return `${length}, ${ended} ended before it was cut`
  }
  const words = `${length}, ${arrivalWords(arrivals, outcomes)}`
  const { stopped, stopReason } = run
  const how = stopWords({ stopped, stopReason, reasons: document.reasons })
  return how === null ? words : `${words}, ${plainText(how)}`
}

/**
 * Names the engine: `k6`; `k6, 4 instances`; `virtual, network loopback`. `simulationNote`
 * describes what virtual time means.
 */
export function engineWords({ run }: ResultDocument): string {
  const { engine, instances, network } = run
  const count = instances > 1 ? [plural(instances, 'instance')] : []
  const simulated = network === null ? [] : [`network ${plainText(network.split(':', 1)[0] ?? '')}`]
  return [engine, ...count, ...simulated].join(', ')
}

/** When the run began; virtual time has no date that a reader could find in a calendar. */
export function startWords({ run }: ResultDocument): string {
  return run.network === null ? formatInstant(run.startedAt) : 'virtual time'
}

/** The reasons of a verdict without those that every report shows with their thresholds. */
export function otherReasons({ verdict, thresholds }: ResultDocument): Reason[] {
  const shown = new Set(thresholds.map(({ metric, status }) => `${CODES[status] ?? ''}${metric}`))
  return verdict.reasons.filter(({ code }) => !shown.has(code))
}

const CODES: Partial<Record<ThresholdResult['status'], string>> = {
  missed: 'threshold:',
  undecided: 'undecided:',
  unmeasurable: 'unmeasurable:',
}
