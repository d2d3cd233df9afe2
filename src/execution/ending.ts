/** How an execution ends: the last entries of its record. */
import { excerpt } from '../crew/excerpt.ts'
import type { StatusObservation } from '../crew/observation.ts'
import { hashText } from '../random.ts'
import type { CompletedExecution } from '../scenario/plan.ts'
import type { Micros } from '../units.ts'
import type { Action } from './events.ts'
import type { Outcome } from './record.ts'
import type { Execution } from './state.ts'

export function end(
  execution: Execution,
  outcome: Outcome,
  reason: string | null,
  atMicros: Micros,
): readonly Action[] {
  const { record, tracker } = execution
  execution.stage = 'ended'
  execution.inputs = null
  record.outcome = outcome
  record.reason = reason === null ? null : excerpt(reason)
  record.endedMicros = atMicros
  record.violations = [...tracker.violations]
  return [{ kind: 'end', record }]
}

/** The deadline passed: `stuck` when the target could be read to the end, else `unreadable`; `lost` when it knew of nothing. */
export function endAtDeadline(execution: Execution, atMicros: Micros): readonly Action[] {
  const { lastPhase, lastCode } = execution
  switch (lastPhase) {
    case null:
      return end(execution, 'stuck', 'no poll before the deadline', atMicros)
    case 'running':
      return end(execution, 'stuck', null, atMicros)
    case 'paused':
      return end(execution, 'stuck', 'paused', atMicros)
    case 'not-found':
      return end(execution, 'lost', notFoundReason(execution), atMicros)
    default:
      return end(execution, 'unreadable', String(lastCode), atMicros)
  }
}

/** `404`, or what the platform says with a 200. */
export function notFoundReason({ lastCode }: Execution): string {
  return lastCode === 404 ? '404' : 'NOT FOUND'
}

/** Completed: keeps what the target reports, size and hash of the output, and what the user's checks say of it. */
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
  return end(execution, 'failed', seen.error, doneMicros)
}

function keepReported({ record }: Execution, seen: StatusObservation, doneMicros: Micros): void {
  record.firstDoneReceivedMicros = doneMicros
  record.reported = {
    executionTimeSeconds: seen.executionTimeSeconds,
    tasks: seen.tasks.map(({ taskId, executionTimeSeconds }) => ({
      taskId: excerpt(taskId),
      executionTimeSeconds,
    })),
  }
}

function measureOutput(output: string): { bytes: number; hash: string } {
  return { bytes: utf8Length(output), hash: hashText(output).toString(16).padStart(8, '0') }
}

/** Bytes of the text in UTF-8; a lone surrogate counts as the three bytes of U+FFFD. */
function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes += unit < 0x800 || isPairAt(text, i, unit) ? 1 : 2
    if (isPairAt(text, i, unit)) {
      bytes++
      i++
    }
  }
  return bytes
}

function isPairAt(text: string, i: number, unit: number): boolean {
  return (unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
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
      return [check.name, excerpt(messageOf(error))] as const
    }
  })
  return Object.fromEntries(results)
}

/** What a thrown value says of itself, whatever it is. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `threw ${typeof thrown}`
}
