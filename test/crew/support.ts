/** Answers for tests of the readers and the contract. */
import type { Answer } from '../../src/crew/answer.ts'

const TIMING = { releasedMicros: 0, sentMicros: 10, doneMicros: 2_000, newConnection: false }

export function answer(
  body: unknown,
  status = 200,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { kind: 'answer', status, headers, body: text, timing: TIMING }
}

export const TIMED_OUT: Answer = {
  kind: 'failure',
  class: 'timeout',
  detail: 'no answer',
  written: true,
  status: null,
  timing: TIMING,
}

export const RUNNING = {
  status: 'running',
  current_task: 'write',
  progress: { completed_tasks: 1, total_tasks: 3 },
}
export const COMPLETED = {
  status: 'completed',
  result: {
    output: 'done',
    tasks: [{ task_id: 'write', output: 'text', agent: 'writer', execution_time: 12.5 }],
  },
  execution_time: 108.5,
}
export const FAILED = { status: 'error', error: 'no luck', execution_time: 3 }
export const ERROR_BODY = { error: 'Execution not found', message: 'No execution found with ID: x' }
export const PLATFORM = {
  state: 'RUNNING',
  status: null,
  result: null,
  result_json: null,
  progress: {
    unit: 'task',
    completed: 1,
    total: 3,
    remaining: 2,
    current: 'write',
    current_agent: 'writer',
    started_at: '2026-01-01T00:00:00Z',
    updated_at: null,
    duration_seconds: 4.5,
  },
  last_executed_task: null,
  last_step: null,
  source: null,
}
