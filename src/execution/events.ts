/** The events that an execution receives and the actions that it requests. */
import type { Answer } from '../crew/answer.ts'
import type { CrewRequest } from '../crew/crew-request.ts'
import type { Micros } from '../base/units.ts'
import type { EndReason } from './record/reason.schema.ts'
import type { ExecutionRecord } from './record/record.ts'

/** Times are points on the run's clock. */
export type ExecutionEvent =
  /**
   * First: begin and send the kickoff. Later: the requested wake; one that comes early or twice has
   * no effect.
   */
  | { kind: 'due'; atMicros: Micros }
  /** The one answer to the outstanding request. */
  | { kind: 'answer'; atMicros: Micros; answer: Answer }
  /** The run stops: end now. `isUnsent`: the outstanding request waited for a token or a socket. */
  | { kind: 'stop'; atMicros: Micros; reason: EndReason; isUnsent?: boolean }
  /** The budget refused the send that was just requested; nothing was sent. */
  | { kind: 'refused'; atMicros: Micros; reason: EndReason }

export type Action =
  /** Send `due` at this point or as soon after it as possible; replaces the previous wake. */
  | { kind: 'wake'; atMicros: Micros }
  /**
   * Sends a request; at most one is outstanding. `timeoutMicros` counts from the release and is
   * above 0.
   */
  | { kind: 'send'; request: CrewRequest; intendedMicros: Micros; timeoutMicros: Micros }
  | { kind: 'accepted'; kickoffId: string }
  /** The last action of every execution. */
  | { kind: 'end'; record: ExecutionRecord }
