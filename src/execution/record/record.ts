/** What one execution leaves behind: the basis of all measurement. */
import type { FailureClass } from '../../crew/answer.ts'
import type { Violation } from '../../crew/contract/rule.ts'
import type { BodyFault } from '../../crew/observation.ts'
import type { Dialect } from '../../crew/wire.ts'
import type { Micros } from '../../base/units.ts'

/** Outcomes are exclusive; their counts always sum to the number of arrivals. */
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
  /** Intended time to handed to the host: the generator's own lateness. */
  lateMicros: number[]
  /**
   * Handed to the host to first byte on a socket, or to the failure if never sent: the wait for a
   * connection.
   */
  waitMicros: number[]
  /** First byte sent to last byte received or the failure; -1 if never sent. */
  serviceMicros: number[]
  /** The status code, or the error class if no answer came or a 2xx was unreadable. */
  answer: (number | ErrorClass)[]
  /** 1 if the request opened its connection. */
  fresh: (0 | 1)[]
  /** 1 if the request is a retry; a poll at its regular interval is not. */
  retry: (0 | 1)[]
  /** Answers that asked for a wait, in order; absent if none did. */
  asked?: AskedWait[]
}

/** What `Retry-After` or an exhausted quota asked for, whether or not the plan honours it. */
export interface AskedWait {
  /**
   * The request's position in the columns. The wait that an accepted kickoff asks for precedes the
   * first poll.
   */
  request: number
  /** From the answer's last byte to the next request, 0 to a day. */
  micros: Micros
}

/** A status answer that reported a change of progress. */
interface TaskChange {
  /** When the answer's last byte arrived, on the run's clock. */
  atMicros: Micros
  task: string | null
  completed: number | null
  total: number | null
}

export interface ExecutionRecord {
  /** The index of the arrival in the whole schedule, over all instances. */
  index: number
  instance: number
  kickoffId: string | null
  dialect: Dialect | 'mixed' | null
  tags: Readonly<Record<string, string>>
  /** An arrival of the warm-up: it runs but does not count in metrics. */
  warmUp: boolean
  outcome: Outcome
  /**
   * The reason, if the outcome alone does not say it: a code, an error class, `max in flight`,
   * `budget spent`, the crew's error text.
   */
  reason: string | null

  /** Points on the run's clock. */
  intendedMicros: Micros
  /** First byte of the last kickoff attempt; null if never sent. */
  sentMicros: Micros | null
  /** Last byte of the kickoff's usable answer; null if never accepted. */
  acceptedMicros: Micros | null
  /** When the client knew the outcome. */
  endedMicros: Micros
  /** The true end is in (lastNotDoneSent, firstDoneReceived]; null if no poll reported it. */
  lastNotDoneSentMicros: Micros | null
  firstDoneReceivedMicros: Micros | null

  kickoff: RequestColumns
  polls: RequestColumns
  /** Polls whose answer saw no change. */
  wastedPolls: number
  changes: TaskChange[]
  /** Seconds as the target reported them; null if missing or not a finite number. */
  reported: {
    executionTimeSeconds: number | null
    tasks: { taskId: string; executionTimeSeconds: number | null }[]
  }
  /** Size in UTF-8 bytes and `fingerprint`; null without a result. */
  output: { bytes: number; hash: string } | null
  /**
   * By name: true passed, false failed, a string is the message of an exception in the check
   * itself.
   */
  checks: Readonly<Record<string, boolean | string>>
  /** The first violation of each rule. */
  violations: readonly Violation[]
  /** Resumed by `crewload resume`: polls before the cut are missing. */
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
