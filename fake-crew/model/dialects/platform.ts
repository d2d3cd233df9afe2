/**
 * The dialect of live deployments, as published answers of theirs show it: the field `state`,
 * errors as `{detail}`, and 200 with the state `NOT FOUND` for an unknown id.
 */
import { unreachable } from '../../../src/base/assert.ts'
import type {
  PlatformProgress,
  PlatformState,
  PlatformStatusBody,
  PlatformTask,
} from '../../../src/crew/wire.ts'
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Content } from '../exchange.ts'
import { jsonContent } from '../exchange.ts'
import type { Profile } from '../profile.ts'
import type { Refusal } from '../refusal.ts'
import { PHRASES, missingMembers, noTarget, refusalHeaders, tooDeep } from '../refusal.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { DialectWriter } from './dialect.ts'
import { failureOf, isHidden, usageOf } from './dialect.ts'

export const platformWriter: DialectWriter = {
  tellsTime: true,
  refusal(refusal) {
    if (refusal.kind === 'not-json' || refusal.kind === 'internal') return plainServerError()
    if (refusal.kind === 'no-such-execution') {
      return jsonContent(200, refusal.resumed === true ? RESUMED_STRANGER : NOT_FOUND)
    }
    const [status, detail] = wording(refusal)
    return jsonContent(status, { detail }, refusalHeaders(refusal))
  },
  statuses:
    ({ profile, anchorUnixMs }) =>
    (execution, nowMicros) => {
      if (execution.phase === 'asked' && isHidden(execution, profile)) {
        return jsonContent(200, NOT_FOUND)
      }
      return jsonContent(200, statusBody(execution, { profile, anchorUnixMs, nowMicros }))
    },
}

/** Members that deployments report since 2026-10; their values are not published. */
const ORIGIN = { triggered_by: 'api', execution_origin: 'deployment' }

const NO_DETAILS = { result: null, result_json: null, last_step: null, source: null }

const NOT_FOUND: PlatformStatusBody = {
  ...NO_DETAILS,
  state: 'NOT FOUND',
  status: 'Task not found or Invalid kickoff id',
  progress: null,
  last_executed_task: null,
}

/** An execution that nobody started and somebody resumed. */
const RESUMED_STRANGER: PlatformStatusBody = {
  ...NOT_FOUND,
  state: 'FAILED',
  status: 'Execution to resume not found',
}

type Tasks = Profile['tasks']

interface PlatformContext {
  profile: Profile
  anchorUnixMs: number
  nowMicros: Micros
}

function statusBody(execution: ExecutionView, context: PlatformContext): PlatformStatusBody {
  const { phase } = execution
  const { tasks } = context.profile
  return {
    ...NO_DETAILS,
    state: stateOf(execution),
    status: messageOf(execution),
    result: phase === 'completed' ? execution.output(tasks.length - 1) : null,
    progress: phase === 'queued' ? null : progressOf(execution, context),
    last_executed_task: lastTaskOf(execution, tasks),
    ...usageOf(execution),
    ...(context.profile.dialect === 'platform-2026-10' ? ORIGIN : {}),
  }
}

function messageOf(execution: ExecutionView): string | null {
  if (execution.phase === 'queued') return 'Task is pending'
  return execution.phase === 'failed' ? failureOf(execution) : null
}

function lastTaskOf(execution: ExecutionView, tasks: Tasks): PlatformTask | null {
  const last = execution.completedTasks - 1
  if (last < 0) return null
  const { id, agent } = tasks[last]!
  return { task_id: id, agent, output: execution.output(last) }
}

function stateOf({ phase, completedTasks }: ExecutionView): PlatformState {
  switch (phase) {
    case 'queued':
      return 'PENDING'
    case 'running':
      return completedTasks === 0 ? 'STARTED' : 'RUNNING'
    case 'asked':
      return 'PAUSED'
    case 'completed':
      return 'SUCCESS'
    case 'failed':
      return 'FAILED'
    default:
      return unreachable(phase)
  }
}

/**
 * The progress of a final answer stops changing at the end, so that final answers stay identical to
 * the byte.
 */
function progressOf(execution: ExecutionView, context: PlatformContext): PlatformProgress {
  const { tasks } = context.profile
  const { completedTasks, startedMicros, phase } = execution
  const untilMicros = Math.min(context.nowMicros, execution.endedMicros)
  const current = phase === 'running' || phase === 'asked' ? tasks[completedTasks] : undefined
  const timestamp = (micros: number): string =>
    new Date(context.anchorUnixMs + micros / MICROS_PER_MS).toISOString()
  const counts = {
    unit: 'task' as const,
    completed: completedTasks,
    total: tasks.length,
    remaining: tasks.length - completedTasks,
  }
  const steps = { unit: 'step' as const, completed: completedTasks, total: null, remaining: null }
  return {
    ...(context.profile.progress === 'step' ? steps : counts),
    current: current?.id ?? null,
    current_agent: current?.agent ?? null,
    started_at: timestamp(startedMicros),
    updated_at: timestamp(untilMicros),
    duration_seconds: Math.round((untilMicros - startedMicros) / MICROS_PER_MS) / 1_000,
  }
}

type Detailed = Exclude<Refusal, { kind: 'not-json' | 'internal' | 'no-such-execution' }>

function wording(refusal: Detailed): [status: number, detail: string] {
  switch (refusal.kind) {
    case 'unauthenticated':
      return [
        401,
        refusal.presented ? 'Invalid or missing authentication credentials' : 'Not authenticated',
      ]
    case 'forbidden':
      return [403, PHRASES[403]]
    case 'no-such-path':
      return [404, PHRASES[404]]
    case 'method-not-allowed':
      return [405, PHRASES[405]]
    case 'too-large':
      return [413, PHRASES[413]]
    case 'unsupported-media-type':
      return [415, PHRASES[415]]
    case 'wrong-shape':
      return [422, refusal.problem]
    case 'too-deep':
      return [422, tooDeep(refusal.levels)]
    case 'missing-inputs':
      return [422, `Missing inputs: ${refusal.names.toSorted().join(', ')}`]
    case 'missing-members':
      return [422, missingMembers(refusal.names)]
    case 'over-limit':
    case 'rate-limited':
    case 'waking':
      return [refusal.status, PHRASES[refusal.status]]
    case 'no-target':
      return [502, noTarget(refusal.why)]
    default:
      return unreachable(refusal)
  }
}

function plainServerError(): Content {
  return {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'Internal Server Error',
  }
}
