/** A plan, answers and a small simulated target for tests of one execution. */
import type { EndReason } from '../../src/execution/record/reason.schema.ts'
import type { Answer, FailureClass } from '../../src/crew/answer.ts'
import { advance, createExecution, createShared } from '../../src/execution/machine.ts'
import type { Action, Execution, SharedState } from '../../src/execution/machine.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import { testPlan } from '../support/plan.ts'

export const SECOND = 1_000_000

/** `testPlan` in seconds, with more retries. */
export function planWith(changes: Partial<Plan> = {}): Plan {
  return testPlan({
    seed: 42,
    polling: { kind: 'fixed', everyMicros: SECOND, initialDelayMicros: SECOND },
    retry: {
      statusRetries: 2,
      kickoffRetries: 2,
      unknownKickoffs: 'leave',
      backoff: { initialMicros: 100_000, factor: 2, maxMicros: SECOND, jitter: 'none' },
      budget: { ratio: 0.1, minimum: 10, windowMicros: 10 * SECOND },
    },
    deadlineMicros: 10 * SECOND,
    notFoundGraceMicros: 0,
    human: false,
    confirmShare: 1,
    drainMicros: 10 * SECOND,
    http: {
      connectTimeoutMicros: 10 * SECOND,
      requestTimeoutMicros: 3 * SECOND,
      firstCallTimeoutMicros: 5 * SECOND,
      maxBodyBytes: 10_000_000,
      maxConnections: 64,
      keepAliveMicros: SECOND,
    },
    inputs: (index) => ({ inputs: { topic: `topic ${index}` }, tags: { kind: 'test' } }),
    ...changes,
  })
}

/** What the target does with one request: an answer or a failure, so long after it was released. */
export interface Reply {
  status?: number
  body?: unknown
  headers?: Record<string, string>
  failure?: FailureClass
  written?: boolean
  /** Release to socket, and socket to last byte. */
  waitMicros?: number
  serviceMicros?: number
}

export const ACCEPTED: Reply = { status: 200, body: { kickoff_id: 'id-1' } }
export const RUNNING: Reply = running('write', 0)
export const COMPLETED: Reply = {
  body: {
    status: 'completed',
    result: {
      output: 'héllo 🚀',
      tasks: [{ task_id: 'write', output: 'x', agent: 'writer', execution_time: 1.5 }],
    },
    execution_time: 2.25,
  },
}
export const FAILED: Reply = { body: { status: 'error', error: 'no luck', execution_time: 1 } }
export const NOT_FOUND: Reply = httpError(404, 'Execution not found')

export function running(task: string, completed: number, total = 2): Reply {
  const progress = { completed_tasks: completed, total_tasks: total }
  return { body: { status: 'running', current_task: task, progress } }
}

export function httpError(status: number, error = 'Trouble'): Reply {
  return { status, body: { error, message: `${error} happened` } }
}

export function answerTo(reply: Reply, releasedMicros: number): Answer {
  const written = reply.written ?? true
  const sentMicros = written ? releasedMicros + (reply.waitMicros ?? 50) : null
  const doneMicros = (sentMicros ?? releasedMicros) + (reply.serviceMicros ?? 2_000)
  const timing = { releasedMicros, sentMicros, doneMicros, newConnection: false }
  if (reply.failure !== undefined) {
    const status = reply.status ?? null
    return { kind: 'failure', class: reply.failure, detail: 'as told', written, status, timing }
  }
  return {
    kind: 'answer',
    status: reply.status ?? 200,
    headers: { 'content-type': 'application/json', ...reply.headers },
    body: typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}),
    timing,
  }
}

export interface Run {
  record: ExecutionRecord
  execution: Execution
  /** Every action in order, with when it was returned. */
  log: { atMicros: number; action: Action }[]
}

/** Ends a run from outside at this point, if it still goes on. */
interface Stop {
  atMicros: number
  reason: EndReason
  isUnsent?: boolean
}

/**
 * Lives one execution with the replies in order, the last one repeated: wakes exactly when asked,
 * answers each send after its own time, and gives up a request at its time-out.
 */
export function live(
  replies: readonly Reply[],
  plan: Plan = planWith(),
  options: LiveOptions = {},
): Run {
  const shared = options.shared ?? createShared(plan, 'run')
  const arrival = { index: 7, instance: 0, intendedMicros: 1_000, warmUp: false }
  const execution = createExecution(shared, arrival)
  const run: Run = { record: execution.record, execution, log: [] }
  let nowMicros = arrival.intendedMicros + (options.lateMicros ?? 0)
  let pending = advance(execution, { kind: 'due', atMicros: nowMicros })
  for (let sends = 0; ;) {
    for (const action of pending) run.log.push({ atMicros: nowMicros, action })
    const last = pending.at(-1)
    if (last === undefined || last.kind === 'end') return run
    if (last.kind === 'send') {
      const reply = replies[Math.min(sends++, replies.length - 1)]!
      const answer = withinLimit(reply, nowMicros, last.timeoutMicros)
      if (options.stop !== undefined && answer.timing.doneMicros > options.stop.atMicros) break
      nowMicros = answer.timing.doneMicros
      pending = advance(execution, { kind: 'answer', atMicros: nowMicros, answer })
    } else if (last.kind === 'wake') {
      if (options.stop !== undefined && last.atMicros > options.stop.atMicros) break
      nowMicros = Math.max(nowMicros, last.atMicros) + (options.lateMicros ?? 0)
      pending = advance(execution, { kind: 'due', atMicros: nowMicros })
    }
  }
  const stopped = advance(execution, { kind: 'stop', ...options.stop })
  for (const action of stopped) run.log.push({ atMicros: options.stop.atMicros, action })
  return run
}

interface LiveOptions {
  shared?: SharedState
  /** The generator's own lateness at every wake. */
  lateMicros?: number
  stop?: Stop
}

function withinLimit(reply: Reply, releasedMicros: number, timeoutMicros: number): Answer {
  const answer = answerTo(reply, releasedMicros)
  if (answer.timing.doneMicros - releasedMicros <= timeoutMicros) return answer
  const waitMicros = reply.waitMicros ?? 50
  return answerTo({ failure: 'timeout', serviceMicros: timeoutMicros - waitMicros }, releasedMicros)
}

export function sends(
  run: Run,
): { atMicros: number; intendedMicros: number; path: string; timeoutMicros: number }[] {
  return run.log.flatMap(({ atMicros, action }) =>
    action.kind === 'send'
      ? [
          {
            atMicros,
            intendedMicros: action.intendedMicros,
            path: action.request.path,
            timeoutMicros: action.timeoutMicros,
          },
        ]
      : [],
  )
}

export const HANGS: Reply = { serviceMicros: 3_600 * SECOND }
