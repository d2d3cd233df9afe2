/** What one answer of the target says, whichever dialect it speaks and however broken it is. */
import type { FailureClass } from './answer.ts'
import type { JsonObject } from './json.ts'
import type { Dialect } from './wire.ts'

/** Why the body of a 2xx could not be used. */
export const BODY_FAULTS = [
  'not-json',
  'wrong-shape',
  'unknown-state',
  'no-id',
  'wrong-type',
] as const
export type BodyFault = (typeof BODY_FAULTS)[number]

/** What a record keeps of an answer: the status code, or why there was none that could be read. */
export type AnswerCode = number | FailureClass | BodyFault

export type Phase =
  | 'running'
  /** Platform dialect: waits for a person. */
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
  /** A 2xx whose body could not be used; `code` says why. */
  | 'unreadable'
  /** Any other status code. */
  | 'unexpected'
  /** No complete answer; `code` is the failure's class. */
  | 'no-answer'

export interface StatusObservation {
  phase: Phase
  code: AnswerCode
  /** Null when the answer does not tell. */
  dialect: Dialect | 'mixed' | null
  /** The parsed body; undefined when it is no JSON object. */
  body: JsonObject | undefined
  task: string | null
  completedTasks: number | null
  totalTasks: number | null
  /** Of a completed execution; null when it has none. */
  output: string | null
  tasks: readonly TaskObservation[]
  /** Finite seconds as reported, or null. */
  executionTimeSeconds: number | null
  /** What went wrong in the target's own words, not shortened; null when it says nothing. */
  error: string | null
}

export interface TaskObservation {
  taskId: string
  output: string
  agent: string
  executionTimeSeconds: number | null
}

export interface KickoffObservation {
  code: AnswerCode
  /** The status code when at least the head of an answer came. */
  status: number | null
  dialect: Dialect | null
  body: JsonObject | undefined
  /** Null when the answer holds no usable id. */
  kickoffId: string | null
}

export interface InputsObservation {
  code: AnswerCode
  dialect: Dialect | null
  /** The whole JSON value; undefined when the body is no JSON. */
  body: unknown
  /** Names of the inputs that the crew expects; null when they could not be read. */
  names: readonly string[] | null
}
