/** What one answer of the target says, in whichever dialect and however malformed. */
import type { FailureClass } from './answer.ts'
import type { JsonObject } from './json.ts'
import type { TokenUsage } from './usage.ts'
import type { Dialect } from './wire.ts'

/** Why the body of a 2xx was unusable. */
export const BODY_FAULTS = [
  'not-json',
  'wrong-shape',
  'unknown-state',
  'no-id',
  'wrong-type',
] as const
export type BodyFault = (typeof BODY_FAULTS)[number]

/** What a record keeps of an answer: the status code, or why there was no readable one. */
export type AnswerCode = number | FailureClass | BodyFault

export type Phase =
  | 'running'
  /** Platform dialect: the execution waits for a person. */
  | 'paused'
  | 'completed'
  | 'failed'
  /** 404, or the platform's 200 with `NOT FOUND`. */
  | 'not-found'
  /** 401 or 403. */
  | 'denied'
  /** 429. */
  | 'limited'
  /** 5xx. */
  | 'server-error'
  /** A 2xx with an unusable body; `code` says why. */
  | 'unreadable'
  /** Any other status code. */
  | 'unexpected'
  /** No complete answer; `code` is the class of the failure. */
  | 'no-answer'

export interface StatusObservation {
  phase: Phase
  code: AnswerCode
  /** Null if the answer does not say. */
  dialect: Dialect | 'mixed' | null
  /** The parsed body; undefined if it is not a JSON object. */
  body: JsonObject | undefined
  task: string | null
  completedTasks: number | null
  totalTasks: number | null
  /** The result of a completed execution; null if it has none. */
  output: string | null
  tasks: readonly TaskObservation[]
  /** Finite seconds as reported, or null. */
  executionTimeSeconds: number | null
  /** The tokens used so far; null if the answer reports none. */
  usage: TokenUsage | null
  /** The error in the target's own words, not shortened; null if it gives none. */
  error: string | null
  /** Equal answers of a run give this same object (`StatusReader`). */
  interned: boolean
}

export interface TaskObservation {
  taskId: string
  output: string
  agent: string
  executionTimeSeconds: number | null
}

export interface KickoffObservation {
  code: AnswerCode
  /** The status code if at least the head of an answer came. */
  status: number | null
  dialect: Dialect | null
  body: JsonObject | undefined
  /** Null if the answer has no usable id. */
  kickoffId: string | null
}

export interface InputsObservation {
  code: AnswerCode
  dialect: Dialect | null
  /** The whole JSON value; undefined if the body is not JSON. */
  body: unknown
  /** The inputs that the crew lists; null when they could not be read. */
  listed: readonly ListedInput[] | null
}

export interface ListedInput {
  name: string
  /** Null when the crew does not say: flows list optional state fields beside required ones. */
  required: boolean | null
}
