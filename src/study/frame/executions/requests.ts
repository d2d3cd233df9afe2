/** The requests of a run as its journal has them, and when it lacks some. */
import type { Micros } from '../../../base/units.ts'
import type { FindingLine } from '../../../execution/record/journal-lines.ts'
import type { RequestColumns } from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request.ts'
import type { RequestAnswer } from '../../../execution/request-log.ts'

export interface SentRequest {
  sentMicros: Micros
  doneMicros: Micros
  /** The status code, or the class of a failure, of the answer or of its body. */
  answer: RequestAnswer
  /** The wait that the answer asked for; null for none. */
  askedMicros: Micros | null
  /** The time since the answer before, of the same execution; null for its first request. */
  gapMicros: Micros | null
  fresh: boolean
}

export interface TimeSpan {
  fromMicros: Micros
  untilMicros: Micros
}

export interface RequestsKnown {
  requests: readonly SentRequest[]
  /** Meanwhile others were sent that are not among them. */
  gaps: readonly TimeSpan[]
}

/** Those that were never sent say nothing. */
export function sentIn(columns: RequestColumns, intendedMicros: Micros): SentRequest[] {
  const waits = new Map(columns.asked?.map(({ request, micros }) => [request, micros]))
  let before: Micros | null = null
  return requestsIn(columns, intendedMicros).flatMap((request, i) => {
    const { answer, sentMicros, serviceMicros, doneMicros, fresh } = request
    if (serviceMicros < 0) return []
    const gapMicros = before === null ? null : sentMicros - before
    before = doneMicros
    const askedMicros = waits.get(i) ?? null
    return [{ sentMicros, doneMicros, answer, askedMicros, gapMicros, fresh: fresh === 1 }]
  })
}

type ConfirmationPoll = Extract<FindingLine['finding'], { kind: 'confirmation' }>

/** A poll that confirms an end counts against a limit as any other does. */
export function confirmationIn(
  { answer, serviceMicros }: ConfirmationPoll,
  doneMicros: Micros,
): SentRequest {
  const sentMicros = doneMicros - serviceMicros
  return { sentMicros, doneMicros, answer, askedMicros: null, gapMicros: null, fresh: false }
}
