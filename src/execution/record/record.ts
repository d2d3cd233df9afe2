/** What one execution leaves behind: the unit of everything measured later. */
import type { FailureClass } from '../../crew/answer.ts'
import type { Violation } from '../../crew/contract/rule.ts'
import type { BodyFault } from '../../crew/observation.ts'
import type { Dialect } from '../../crew/wire.ts'
import type { Micros } from '../../base/units.ts'

/** Exclusive; their counts always sum to the number of arrivals. */
export const OUTCOMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
] as const
export type Outcome = (typeof OUTCOMES)[number]

export type ErrorClass = FailureClass | BodyFault
export { BODY_FAULTS } from '../../crew/observation.ts'
export type { Violation }

/**
 * Requests of one kind in the order they were made, one array a column. Times in integer
 * microseconds; `dueMicros` counts from the execution's `intendedMicros`, so that response time =
 * late + wait + service and done = intended + due + late + wait + service.
 */
export interface RequestColumns {
  /**
   * When the request was intended: the schedule's time, or the previous answer plus the interval.
   */
  dueMicros: number[]
  /** Intended to handed to the host: the generator's own lateness. */
  lateMicros: number[]
  /**
   * Handed to the host to first byte on a socket, or to the failure when never sent: waiting for a
   * connection.
   */
  waitMicros: number[]
  /** First byte sent to last byte received or the failure; -1 when never sent. */
  serviceMicros: number[]
  /** Status code; or the error class, when no answer came or a 2xx could not be read. */
  answer: (number | ErrorClass)[]
  /** 1 when the request opened its connection. */
  fresh: (0 | 1)[]
  /** 1 when the retry policy sent it again; a poll that its interval paces is none. */
  retry: (0 | 1)[]
  /** Answers that asked for a wait, in order; absent when none did. */
  asked?: AskedWait[]
}

/** What `Retry-After` or an exhausted quota asked for, whether the plan listens to it or not. */
export interface AskedWait {
  /**
   * Place of the request in the columns. The wait that an accepted kickoff asks for is before the
   * first poll.
   */
  request: number
  /** From the answer's last byte to the next request, 0 to a day. */
  micros: Micros
}

/** A status answer that told something new about progress. */
interface TaskChange {
  /** On the run's clock: the answer's last byte. */
  atMicros: Micros
  task: string | null
  completed: number | null
  total: number | null
}

export interface ExecutionRecord {
  /** Of the arrival in the whole schedule, over all instances. */
  index: number
  instance: number
  kickoffId: string | null
  dialect: Dialect | 'mixed' | null
  tags: Readonly<Record<string, string>>
  /** An arrival of the warm-up: it ran, and does not count in metrics. */
  warmUp: boolean
  outcome: Outcome
  /**
   * Why, where the outcome alone does not tell: a code, an error class, `max in flight`, `budget
   * spent`, the crew's error text.
   */
  reason: string | null

  /** Points on the run's clock. */
  intendedMicros: Micros
  /** First byte of the last kickoff attempt; null when never sent. */
  sentMicros: Micros | null
  /** Last byte of the kickoff's usable answer; null when never accepted. */
  acceptedMicros: Micros | null
  /** When the client knew the outcome. */
  endedMicros: Micros
  /** The true end lies in (lastNotDoneSent, firstDoneReceived]; null when no poll said so. */
  lastNotDoneSentMicros: Micros | null
  firstDoneReceivedMicros: Micros | null

  kickoff: RequestColumns
  polls: RequestColumns
  /** Polls whose answer told nothing new. */
  wastedPolls: number
  changes: TaskChange[]
  /** Seconds as the target reported them; null when it did not, or not as a finite number. */
  reported: {
    executionTimeSeconds: number | null
    tasks: { taskId: string; executionTimeSeconds: number | null }[]
  }
  /** Size in UTF-8 bytes and `fingerprint`; null without a result. */
  output: { bytes: number; hash: string } | null
  /**
   * By name: true passed, false failed, a string the message of an exception in the check itself.
   */
  checks: Readonly<Record<string, boolean | string>>
  /** The first of each rule that was broken. */
  violations: readonly Violation[]
  /** Picked up by `crewload resume`: polls before the kill are missing. */
  resumed: boolean
}

export function emptyColumns(): RequestColumns {
  return {
    dueMicros: [],
    lateMicros: [],
    waitMicros: [],
    serviceMicros: [],
    answer: [],
    fresh: [],
    retry: [],
  }
}
