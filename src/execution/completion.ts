/** A final state: what the record keeps of it, and the results of the user's checks. */
import { excerpt } from '../crew/excerpt.ts'
import type { StatusObservation } from '../crew/observation.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { thrownWords } from '../scenario/author/call.ts'
import type { CompletedExecution } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import { utf8Length } from '../base/utf8.ts'
import { asksUnseen, end } from './ending.ts'
import type { Action } from './events.ts'
import type { Execution } from './state.ts'

/**
 * Completed: keeps the target's report, size and hash of the output, and the results of the user's
 * checks.
 */
export function endCompleted(
  execution: Execution,
  seen: StatusObservation,
  doneMicros: Micros,
): readonly Action[] {
  const { record } = execution
  keepReported(execution, seen, doneMicros)
  if (seen.output !== null) record.output = measureOutput(seen.output)
  record.checks = runChecks(execution, seen)
  return end(execution, 'completed', null, doneMicros)
}

export function endFailed(
  execution: Execution,
  seen: StatusObservation,
  doneMicros: Micros,
): readonly Action[] {
  keepReported(execution, seen, doneMicros)
  const { error } = seen
  const reason = error === null ? null : ({ code: 'crew-error', text: excerpt(error) } as const)
  return end(execution, 'failed', reason, doneMicros)
}

/** Where the crew asks people, an end proves that the execution was only hidden before it. */
function keepReported(execution: Execution, seen: StatusObservation, doneMicros: Micros): void {
  const { record, hiddenSentMicros } = execution
  if (hiddenSentMicros !== null && asksUnseen(execution)) {
    record.lastNotDoneSentMicros = hiddenSentMicros
  }
  record.firstDoneReceivedMicros = doneMicros
  record.reported = {
    executionTimeSeconds: seen.executionTimeSeconds,
    tasks: seen.tasks.map(({ taskId, agent, executionTimeSeconds }) => ({
      taskId: excerpt(taskId),
      agent: excerpt(agent),
      executionTimeSeconds,
    })),
  }
}

function measureOutput(output: string): { bytes: number; hash: string } {
  return { bytes: utf8Length(output), hash: fingerprint(output) }
}

/** An exception in the user's check is data too: its message. */
function runChecks(
  execution: Execution,
  seen: StatusObservation,
): Record<string, boolean | string> {
  const { checks } = execution.shared.plan
  if (checks.length === 0) return {}
  const completed: CompletedExecution = {
    index: execution.record.index,
    inputs: execution.inputs?.inputs ?? {},
    output: seen.output ?? '',
    tasks: seen.tasks,
    executionTimeSeconds: seen.executionTimeSeconds,
  }
  const results = checks.map((check) => {
    try {
      const passed: unknown = check.passes(completed)
      return [check.name, passed === true] as const
    } catch (error) {
      return [check.name, thrownWords(error)] as const
    }
  })
  return Object.fromEntries(results)
}
