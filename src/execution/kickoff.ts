/** The kickoff of one execution: sent, retried if nothing can have started, accepted, or ended. */
import type { Answer } from '../crew/answer.ts'
import { checkKickoff } from '../crew/contract/contract.ts'
import { readKickoff } from '../crew/read.ts'
import { correlationId, kickoffRequest, statusRequest } from '../crew/crew-request.ts'
import { isGivenUp, mayHaveStarted } from '../scenario/retry.ts'
import type { Micros } from '../base/units.ts'
import { answered, end } from './ending.ts'
import type { Action } from './events.ts'
import { noteRequest } from './request-notes.ts'
import { hearWait, pauseBeforePoll, wake } from './poll-time.ts'
import { scheduleRetry, send } from './sending.ts'
import type { Execution } from './state.ts'
import { inputsFailed } from './record/unsent.ts'

/**
 * Builds the inputs and sends the kickoff. Inputs that cannot be built are the user's mistake: the
 * arrival is dropped.
 */
export function begin(execution: Execution, atMicros: Micros): readonly Action[] {
  const { shared, record } = execution
  try {
    execution.inputs = shared.plan.inputs(record.index)
    execution.request = kickoffRequest({
      index: record.index,
      inputs: execution.inputs.inputs,
      members: execution.inputs.members,
      correlation: correlationOf(execution),
      paths: shared.plan.paths,
    })
  } catch (error) {
    const { outcome, reason } = inputsFailed(error)
    return end(execution, outcome, reason, atMicros)
  }
  record.tags = execution.inputs.tags
  return sendKickoff(execution, atMicros)
}

/**
 * Until the first answer arrives, the time-out is longer, because a cold deployment may have to
 * start.
 */
export function sendKickoff(execution: Execution, atMicros: Micros): readonly Action[] {
  const { shared } = execution
  const { http, deadlineMicros } = shared.plan
  if (execution.retries === 0) execution.deadlineMicros = atMicros + deadlineMicros
  execution.stage = 'kickoff'
  const limit = shared.answered ? http.requestTimeoutMicros : http.firstCallTimeoutMicros
  return send(execution, limit, atMicros)
}

export function onKickoffAnswer(execution: Execution, answer: Answer): readonly Action[] {
  const { shared, record, tracker } = execution
  const { timing } = answer
  const observed = readKickoff(answer)
  const { kickoffId } = observed
  shared.answered ||= answer.kind === 'answer'
  noteRequest(execution, observed.code, timing)
  execution.kickoffs++
  hearWait(execution, answer, kickoffId !== null)
  record.sentMicros = timing.sentMicros ?? record.sentMicros
  checkKickoff(tracker, answer, observed)
  record.dialect ??= observed.dialect
  if (kickoffId !== null) return accept(execution, kickoffId, answer)
  execution.mayHaveStarted ||= mayHaveStarted(answer)
  if (scheduleRetry(execution, answer)) {
    execution.stage = 'retrying'
    return [wake(execution)]
  }
  const outcome = isGivenUp(answer) ? 'aborted' : outcomeWithoutId(execution)
  return end(execution, outcome, answered(observed.code), timing.doneMicros)
}

function accept(execution: Execution, kickoffId: string, answer: Answer): readonly Action[] {
  const { shared, record } = execution
  const { sentMicros, releasedMicros, doneMicros } = answer.timing
  record.acceptedMicros = doneMicros
  execution.deadlineMicros = (sentMicros ?? releasedMicros) + shared.plan.deadlineMicros
  askForStatus(execution, kickoffId)
  const pause = pauseBeforePoll(execution, doneMicros)
  return [{ kind: 'accepted', kickoffId }, pause]
}

/** From now on its requests ask for the status of what was accepted. */
export function askForStatus(execution: Execution, kickoffId: string): void {
  const { record, shared } = execution
  record.kickoffId = kickoffId
  if (!needsInputs(shared.plan)) execution.inputs = null
  const correlation = correlationOf(execution)
  const { paths } = shared.plan
  execution.request = statusRequest({ index: record.index, kickoffId, correlation, paths })
}

/**
 * The outcome of kickoffs without a usable answer: `rejected` if none can have started anything;
 * otherwise `unknown`, because one may have, and cost money.
 */
export function outcomeWithoutId({ mayHaveStarted: started }: Execution): 'rejected' | 'unknown' {
  return started ? 'unknown' : 'rejected'
}

/** Whether they are needed once the kickoff was accepted. */
function needsInputs({ checks, people }: Execution['shared']['plan']): boolean {
  return checks.length > 0 || people !== undefined
}

export function correlationOf({ shared, record }: Execution): string {
  return correlationId(shared.runId, record.index)
}
