/** What is asked of a target and what comes back, whichever host carries it. */
import type { Micros } from '../base/units.ts'

export type Operation = 'inputs' | 'kickoff' | 'status'
export const OPERATIONS: readonly Operation[] = ['inputs', 'kickoff', 'status']

/** One request of the interface. Token and base URL belong to the host: they are in no record. */
export interface CrewRequest {
  operation: Operation
  /**
   * Index of the execution; -1 for a request outside any (the preflight). The host deals tokens
   * round by it.
   */
  execution: number
  method: 'GET' | 'POST'
  /** Below the base URL, with its leading slash: `/status/<id>`. */
  path: string
  /** JSON text, or null for none. */
  body: string | null
  /** Sent as `x-correlation-id`, for the target's logs: `<run id>/<index>`. */
  correlation: string
}

/**
 * Why no usable answer came. `refused`, `dns`, `tls`, `connect-timeout` and `unreachable` end
 * before a byte of the request was written.
 */
export const FAILURE_CLASSES = [
  'refused',
  'dns',
  'tls',
  'connect-timeout',
  'unreachable',
  /** Written, no complete answer within the limit. */
  'timeout',
  /** RST. */
  'reset',
  /** FIN before a byte of the answer. */
  'closed',
  /** The connection ended inside the answer. */
  'truncated',
  'malformed-http',
  /** The body passed the limit; the rest was not read. */
  'too-large',
  /** Given up by us: the run was stopped. */
  'cancelled',
  /** Anything else; the detail says what. */
  'other',
] as const
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** All points on the run's clock. */
export interface Timing {
  /** Handed to the host. */
  releasedMicros: Micros
  /**
   * First byte of the request given to a connected socket; null when it never was. Between the two
   * lies the socket wait.
   */
  sentMicros: Micros | null
  /** Last byte received, or the failure noticed. */
  doneMicros: Micros
  /** The request was the first on its connection. */
  newConnection: boolean
}

export type WholeAnswer = Extract<Answer, { kind: 'answer' }>

export type Answer =
  | {
      kind: 'answer'
      status: number
      /** Lower-case names; repeated fields joined by `, `. */
      headers: Readonly<Record<string, string>>
      body: string
      /**
       * What `JSON.parse(body)` gives, from a host that has it as a value: readers need not parse.
       */
      json?: unknown
      timing: Timing
    }
  | {
      kind: 'failure'
      class: FailureClass
      /** For people: the error's code or message, shortened, token-free. */
      detail: string
      /**
       * True when a byte of the request may have reached the target: a kickoff may have started.
       */
      written: boolean
      /** The status code, when the head of the answer had arrived. */
      status: number | null
      timing: Timing
    }
