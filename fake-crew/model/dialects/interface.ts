/** The documented dialect: field `status`, Error bodies `{error, message}`. */
import { unreachable } from '../../../src/base/assert.ts'
import type {
  CompletedBody,
  ErrorBody,
  ErrorStatusBody,
  RunningBody,
} from '../../../src/crew/wire.ts'
import type { Content } from '../exchange.ts'
import { jsonContent } from '../exchange.ts'
import type { Profile } from '../profile.ts'
import type { Refusal } from '../refusal.ts'
import { PHRASES, missingMembers, noTarget, refusalHeaders, tooDeep } from '../refusal.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { DialectWriter } from './dialect.ts'
import { failureOf, isHidden, usageOf } from './dialect.ts'

export const interfaceWriter: DialectWriter = {
  tellsTime: false,
  refusal(refusal) {
    const [status, body] = wording(refusal)
    return jsonContent(status, body, refusalHeaders(refusal))
  },
  statuses({ profile, idOf }) {
    const { tasks } = profile
    /**
     * Most answers are running ones, and few of them differ: cached by the number of completed
     * tasks.
     */
    const running = tasks.map((_, completed) => jsonContent(200, runningBody(completed, tasks)))
    const atWork = (execution: ExecutionView): Content => {
      const { completedTasks, usage } = execution
      if (usage === undefined) return running[completedTasks]!
      return jsonContent(200, { ...runningBody(completedTasks, tasks), ...usageOf(execution) })
    }
    return (execution) => {
      const { phase } = execution
      switch (phase) {
        case 'queued':
        case 'running':
          return atWork(execution)
        case 'asked':
          // The documented dialect has no state for it.
          if (!isHidden(execution, profile)) return atWork(execution)
          return jsonContent(404, unknownExecution(idOf(execution.ordinal)))
        case 'completed':
          return jsonContent(200, completedBody(execution, tasks))
        case 'failed':
          return jsonContent(200, failedBody(execution))
        default:
          return unreachable(phase)
      }
    }
  },
}

function runningBody(completedTasks: number, tasks: Profile['tasks']): RunningBody {
  return {
    status: 'running',
    current_task: tasks[completedTasks]!.id,
    progress: { completed_tasks: completedTasks, total_tasks: tasks.length },
  }
}

function failedBody(execution: ExecutionView): ErrorStatusBody {
  return {
    status: 'error',
    error: failureOf(execution),
    execution_time: executionSeconds(execution),
    ...usageOf(execution),
  }
}

function completedBody(execution: ExecutionView, tasks: Profile['tasks']): CompletedBody {
  const results = execution.taskTimesMs().map((timeMs, task) => ({
    task_id: tasks[task]!.id,
    output: execution.output(task),
    agent: tasks[task]!.agent,
    execution_time: timeMs / 1_000,
  }))
  return {
    status: 'completed',
    result: { output: results.at(-1)!.output, tasks: results },
    execution_time: executionSeconds(execution),
    ...usageOf(execution),
  }
}

/**
 * Start to end in whole milliseconds: the sum of the task times. It excludes waiting for a worker.
 */
function executionSeconds({ startedMicros, endedMicros }: ExecutionView): number {
  return Math.round((endedMicros - startedMicros) / 1_000) / 1_000
}

type Wording = [status: number, body: ErrorBody]

/**
 * Texts of 401, 404, 422 and 500 follow the examples of the vendor's API reference. Other statuses
 * are not in it and use the standard phrase.
 */
function wording(refusal: Refusal): Wording {
  switch (refusal.kind) {
    case 'unauthenticated':
      return [401, { error: 'Unauthorized', message: 'Invalid or missing bearer token' }]
    case 'forbidden':
      return standard(403, `A user token may not use ${refusal.operation}`)
    case 'no-such-path':
      return standard(404, `No such path: ${refusal.path}`)
    case 'no-such-execution':
      return [404, unknownExecution(refusal.kickoffId)]
    case 'method-not-allowed':
      return standard(405, `${refusal.method} is not allowed here; allowed: ${refusal.allow}`)
    case 'too-large':
      return standard(413, `The body is larger than ${refusal.limitBytes} bytes`)
    case 'unsupported-media-type':
      return standard(415, 'The body must be application/json, without content encoding')
    case 'not-json':
      return [400, { error: 'Bad Request', message: 'The body is not valid JSON' }]
    case 'wrong-shape':
      return [400, { error: 'Bad Request', message: refusal.problem }]
    case 'too-deep':
      return [422, { error: 'Validation Error', message: tooDeep(refusal.levels) }]
    case 'missing-inputs':
      return [422, missingInputs(refusal.names)]
    case 'missing-members':
      return [422, { error: 'Validation Error', message: missingMembers(refusal.names) }]
    case 'over-limit':
      return standard(refusal.status, 'All workers are busy and the queue is full')
    case 'rate-limited':
      return standard(refusal.status, 'Too many requests; try again later')
    case 'waking':
      return standard(refusal.status, 'The crew was idle and is starting')
    case 'no-target':
      return standard(502, noTarget(refusal.why))
    case 'internal':
      return [500, { error: 'Internal Server Error', message: 'An unexpected error occurred' }]
    default:
      return unreachable(refusal)
  }
}

function standard(status: keyof typeof PHRASES, message: string): Wording {
  return [status, { error: PHRASES[status], message }]
}

function unknownExecution(kickoffId: string): ErrorBody {
  return { error: 'Execution not found', message: `No execution found with ID: ${kickoffId}` }
}

function missingInputs(names: readonly string[]): ErrorBody {
  return {
    error: 'Validation Error',
    message: 'Missing required inputs',
    details: { missing_inputs: names },
  }
}
