/**
 * What records tell by definition: when an answer is one, when an end was seen, how late it was
 * known.
 */
import { FAILURE_CLASSES } from '../../crew/answer.ts'
import type { Micros } from '../../base/units.ts'
import type { ErrorClass, ExecutionRecord } from './record.ts'

const FAILURES: ReadonlySet<number | string> = new Set(FAILURE_CLASSES)

/** False when no complete answer came: of its time only "longer than this" is known. */
export function isAnswer(answer: number | ErrorClass): boolean {
  return !FAILURES.has(answer)
}

/**
 * Whatever else an accepted execution came to, its own end was never seen: its time is censored.
 */
export function sawTheEnd(record: ExecutionRecord): boolean {
  return (record.outcome === 'completed' || record.outcome === 'failed') && !endedUnwatched(record)
}

/**
 * It ended while nobody polled, between a crash and its resumption: how long it took, and would
 * have been waited for, nobody knows.
 */
function endedUnwatched({ resumed, lastNotDoneSentMicros }: ExecutionRecord): boolean {
  return resumed && lastNotDoneSentMicros === null
}

/**
 * How long an accepted execution was watched: to its end, or to the last moment that is known of
 * it.
 */
export function watchedMicros(record: ExecutionRecord): Micros {
  const { acceptedMicros, endedMicros, intendedMicros } = record
  const until = endedUnwatched(record) ? (acceptedMicros ?? endedMicros) : endedMicros
  return until - intendedMicros
}

/**
 * Upper bound of the detection delay: from the last moment it was surely not done. Null when no
 * poll saw the end.
 */
export function longestDelay(record: ExecutionRecord): Micros | null {
  const after = record.lastNotDoneSentMicros ?? record.sentMicros
  if (endedUnwatched(record) || record.firstDoneReceivedMicros === null || after === null) {
    return null
  }
  return record.firstDoneReceivedMicros - after
}
