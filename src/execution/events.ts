/** What an execution is told, and what it asks for in return. */
import type { Answer, CrewRequest } from '../crew/answer.ts'
import type { Micros } from '../base/units.ts'
import type { ExecutionRecord } from './record/record.ts'

/** Times are points on the run's clock. */
export type ExecutionEvent =
  /**
   * First: begin and send the kickoff. Later: the wake that was asked for; one that comes early or
   * twice does no harm.
   */
  | { kind: 'due'; atMicros: Micros }
  /** The one answer to the request that is outstanding. */
  | { kind: 'answer'; atMicros: Micros; answer: Answer }
  /** The run stops: end now. */
  | { kind: 'stop'; atMicros: Micros; reason: string }
  /** The budget refused the send just asked for; nothing was sent. */
  | { kind: 'refused'; atMicros: Micros; reason: string }

export type Action =
  /** Send `due` at this point or as soon after it as possible; replaces the former wake. */
  | { kind: 'wake'; atMicros: Micros }
  /** At most one is outstanding. `timeoutMicros` counts from the release and is above 0. */
  | { kind: 'send'; request: CrewRequest; intendedMicros: Micros; timeoutMicros: Micros }
  | { kind: 'accepted'; kickoffId: string }
  /** The last action of every execution. */
  | { kind: 'end'; record: ExecutionRecord }
