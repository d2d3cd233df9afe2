/** What records tell by definition: when an answer is one, when an end was seen, how late it was known. */
import { FAILURE_CLASSES } from '../crew/answer.ts'
import type { Micros } from '../units.ts'
import type { ErrorClass, ExecutionRecord } from './record.ts'

const FAILURES: ReadonlySet<number | string> = new Set(FAILURE_CLASSES)

/** False when no complete answer came: of its time only "longer than this" is known. */
export function isAnswer(answer: number | ErrorClass): boolean {
  return !FAILURES.has(answer)
}

/** Whatever else an accepted execution came to, its own end was never seen: its time is censored. */
export function sawTheEnd({ outcome }: ExecutionRecord): boolean {
  return outcome === 'completed' || outcome === 'failed'
}

/** Upper bound of the detection delay: from the last moment it was surely not done. Null when no poll saw the end. */
export function longestDelay(record: ExecutionRecord): Micros | null {
  const after = record.lastNotDoneSentMicros ?? record.sentMicros
  return record.firstDoneReceivedMicros === null || after === null
    ? null
    : record.firstDoneReceivedMicros - after
}
