/** The answers of a target to its operations, whichever host sent the requests. */
import type { Micros } from '../base/units.ts'

/** Those of the document. */
export const DOCUMENTED_OPERATIONS = ['inputs', 'kickoff', 'status'] as const
export type DocumentedOperation = (typeof DOCUMENTED_OPERATIONS)[number]
/** `resume` answers for a person. */
export type Operation = DocumentedOperation | 'resume'
export const OPERATIONS: readonly Operation[] = [...DOCUMENTED_OPERATIONS, 'resume']

/** Inputs are read once, before the run, and answers for people are few: these are measured. */
export const MEASURED_OPERATIONS = ['kickoff', 'status'] as const
export type MeasuredOperation = (typeof MEASURED_OPERATIONS)[number]

export function isMeasured(operation: Operation): operation is MeasuredOperation {
  return operation === 'kickoff' || operation === 'status'
}

const CONNECT_CLASSES = ['refused', 'dns', 'tls', 'connect-timeout', 'unreachable'] as const

/** Why no usable answer came. */
export const FAILURE_CLASSES = [
  ...CONNECT_CLASSES,
  /** The request was written, but no complete answer came within the limit. */
  'timeout',
  /** RST. */
  'reset',
  /** FIN before a byte of the answer. */
  'closed',
  /** The connection ended inside the answer. */
  'truncated',
  'malformed-http',
  /** The body exceeded the limit; the rest was not read. */
  'too-large',
  /** Cancelled by us: the run was stopped. */
  'cancelled',
  /** Anything else; `detail` says what. */
  'other',
] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** They fail before a byte of the request is written. */
export const CONNECT_FAILURES: ReadonlySet<FailureClass> = new Set(CONNECT_CLASSES)

/** RFC 6585, and what services answer that are overloaded. */
const REFUSALS: ReadonlySet<unknown> = new Set([429, 529])
/** Some limiters answer 403, or 503 as nginx does; with a requested wait these are refusals too. */
const REFUSALS_THAT_ASK: ReadonlySet<unknown> = new Set([403, 503])

/** Whether a limiter refused the request; the contract of crews names no status for it. */
export function isRefusal(answer: number | string, asksToWait: boolean): boolean {
  return REFUSALS.has(answer) || (asksToWait && REFUSALS_THAT_ASK.has(answer))
}

const DETAIL_LENGTH = 120

/** What a failed request says of an error: one line, shortened. */
export function detailFrom(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > DETAIL_LENGTH ? `${line.slice(0, DETAIL_LENGTH - 1)}…` : line
}

/** All points on the run's clock. */
export interface Timing {
  /** When the request was handed to the host. */
  releasedMicros: Micros
  /**
   * When the first byte of the request was given to a connected socket; null if it never was. The
   * time between the two is the socket wait.
   */
  sentMicros: Micros | null
  /** When the last byte was received, or the failure noticed. */
  doneMicros: Micros
  /** The request was the first on its connection. */
  newConnection: boolean
}

export type WholeAnswer = Extract<Answer, { kind: 'answer' }>
export type FailedRequest = Extract<Answer, { kind: 'failure' }>

export type Answer =
  | {
      kind: 'answer'
      status: number
      /** Lower-case names; repeated fields joined by `, `. */
      headers: Readonly<Record<string, string>>
      body: string
      /**
       * The value of `JSON.parse(body)`, from a host that has it as a value: readers need not
       * parse.
       */
      json?: unknown
      timing: Timing
    }
  | {
      kind: 'failure'
      class: FailureClass
      /** For people: the error's code or message, shortened, without tokens. */
      detail: string
      /** The host's own machine ran out of what a connection needs. */
      isLocal?: true
      /** True if a byte of the request may have reached the target: a kickoff may have started. */
      written: boolean
      /** The status code, if the head of the answer had arrived. */
      status: number | null
      timing: Timing
    }
