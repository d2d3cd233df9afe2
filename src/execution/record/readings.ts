/**
 * Values that follow from records by definition: when an answer is one, when an end was seen, how
 * late it was detected.
 */
import { FAILURE_CLASSES } from '../../crew/answer.ts'
import type { Micros } from '../../base/units.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import { isFinal } from '../../scenario/outcomes.ts'
import type { ExecutionRecord } from './record.ts'

const FAILURES: ReadonlySet<number | string> = new Set(FAILURE_CLASSES)

/** What the crew said of a failed execution; null for every other one, and if it said nothing. */
export function crewError({ reason }: Pick<ExecutionRecord, 'reason'>): string | null {
  return reason?.code === 'crew-error' ? reason.text : null
}

/** False if no complete answer came: its time is only known to be longer than this. */
export function isAnswer(answer: AnswerCode): boolean {
  return typeof answer === 'number' || !FAILURES.has(answer)
}

/** The end of an accepted execution with any other outcome was never seen: its time is censored. */
export function sawTheEnd(record: ExecutionRecord): boolean {
  return isFinal(record.outcome) && !endedUnwatched(record)
}

/**
 * It ended while nobody polled, between a crash and its resumption: its duration and detection
 * delay are unknown.
 */
function endedUnwatched({ resumed, lastNotDoneSentMicros }: ExecutionRecord): boolean {
  return resumed && lastNotDoneSentMicros === null
}

/** Returns how long an accepted execution was observed: to its end, or to the last known time. */
export function watchedMicros(record: ExecutionRecord): Micros {
  const { acceptedMicros, endedMicros, intendedMicros } = record
  const until = endedUnwatched(record) ? (acceptedMicros ?? endedMicros) : endedMicros
  return until - intendedMicros
}

/**
 * Upper bound of the detection delay, from the last time it was surely not done. Null if no poll
 * saw the end.
 */
export function longestDelay(record: ExecutionRecord): Micros | null {
  const after = record.lastNotDoneSentMicros ?? record.sentMicros
  if (endedUnwatched(record) || record.firstDoneReceivedMicros === null || after === null) {
    return null
  }
  return record.firstDoneReceivedMicros - after
}

/**
 * Seconds that the target reports for the execution, else for its tasks together; null where not
 * all are reported.
 */
export function reportedSeconds({ reported }: ExecutionRecord): number | null {
  if (reported.executionTimeSeconds !== null) return reported.executionTimeSeconds
  const times = reported.tasks.map(({ executionTimeSeconds }) => executionTimeSeconds)
  const known = times.filter((seconds) => seconds !== null)
  if (times.length === 0 || known.length < times.length) return null
  return known.reduce((sum, seconds) => sum + seconds, 0)
}

/** An accepted execution costs, and one whose kickoff was sent and got no usable answer may. */
export function mayCost({
  outcome,
  acceptedMicros,
  sentMicros,
}: Pick<ExecutionRecord, 'outcome' | 'acceptedMicros' | 'sentMicros'>): boolean {
  if (acceptedMicros !== null || outcome === 'unknown') return true
  return outcome === 'aborted' && sentMicros !== null
}
