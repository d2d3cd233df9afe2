/**
 * An execution that a former process left behind, resumed where the journal ends: polling
 * continues, and what was never answered ends.
 */
import { nextIntervalMicros } from '../scenario/polling/index.ts'
import type { Micros } from '../base/units.ts'
import { end } from './ending.ts'
import type { Action } from './events.ts'
import { askForStatus } from './kickoff.ts'
import type { RequestColumns } from './record/record.ts'
import { requestsIn } from './record/request.ts'
import { noteRequest, restoreRequests } from './request-notes.ts'
import { wake } from './poll-time.ts'
import type { DueArrival, Execution } from './state.ts'

/**
 * The last state that the journal has of an execution that did not end in it. Times are on the
 * run's clock.
 */
export interface LeftBehind {
  arrival: DueArrival
  /** When its first kickoff was released. */
  startedMicros: Micros
  /** Null if no answer to a kickoff was written: it may have started. */
  accepted: Acceptance | null
}

interface Acceptance {
  kickoffId: string
  atMicros: Micros
  /** The kickoff and its retries. */
  kickoff: RequestColumns
  /** The task that the status named last; missing if the journal does not say. */
  task?: string
}

/**
 * Restores the past of an execution from `left` and returns how it continues. An accepted one is
 * polled within one interval from `atMicros`, spread so that a thousand of them do not poll at
 * once. Its deadline still counts from its kickoff, but it gets at least one poll, because it was
 * paid for. The others end as `aborted`, like executions whose kickoff is cancelled by a stop: the
 * cut was ours, and the target might still have answered. `cutMicros` is the last time in the
 * journal.
 */
export function pickUp(
  execution: Execution,
  left: LeftBehind,
  { cutMicros, atMicros }: { cutMicros: Micros; atMicros: Micros },
): readonly Action[] {
  const { record, shared } = execution
  record.resumed = true
  try {
    execution.inputs = shared.plan.inputs(record.index)
    record.tags = execution.inputs.tags
  } catch {
    // The inputs could be built once, or there would have been no kickoff: a failure now costs only
    // its tags.
  }
  return left.accepted === null
    ? endUnheard(execution, left.startedMicros, Math.max(cutMicros, left.startedMicros))
    : goOnWatching(execution, left.accepted, atMicros)
}

function endUnheard(
  execution: Execution,
  startedMicros: Micros,
  cutMicros: Micros,
): readonly Action[] {
  const sent = { releasedMicros: startedMicros, sentMicros: startedMicros, doneMicros: cutMicros }
  execution.dueMicros = startedMicros
  execution.record.sentMicros = startedMicros
  noteRequest(execution, 'cancelled', { ...sent, newConnection: false })
  execution.kickoffs++
  return end(execution, 'aborted', { code: 'cut', when: 'unanswered' }, cutMicros)
}

function goOnWatching(
  execution: Execution,
  { kickoffId, atMicros: acceptedMicros, kickoff, task }: Acceptance,
  atMicros: Micros,
): readonly Action[] {
  const { record, shared, pace, pollingRandom } = execution
  const { plan } = shared
  restoreRequests(execution, kickoff)
  execution.formerTask = task ?? null
  execution.tracker.kickoffId = kickoffId
  record.acceptedMicros = acceptedMicros
  record.sentMicros = lastSent(execution, kickoff)
  askForStatus(execution, kickoffId)
  pace.intervals = 1
  pace.elapsedMicros = atMicros - acceptedMicros
  const interval = nextIntervalMicros(plan.polling, pace, pollingRandom)
  pace.previousMicros = interval
  execution.stage = 'pausing'
  execution.dueMicros = atMicros + Math.floor(interval * pollingRandom.next())
  execution.deadlineMicros = Math.max(
    (record.sentMicros ?? acceptedMicros) + plan.deadlineMicros,
    execution.dueMicros + plan.http.requestTimeoutMicros,
  )
  return [wake(execution)]
}

/** First byte of the last kickoff, the one that was accepted; null if no line says so. */
function lastSent({ record }: Execution, kickoff: RequestColumns): Micros | null {
  const last = requestsIn(kickoff, record.intendedMicros).at(-1)
  return last === undefined || last.serviceMicros === -1 ? null : last.sentMicros
}
