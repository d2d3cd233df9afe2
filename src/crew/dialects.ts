/**
 * Status bodies in the two dialects: as the interface documents them (field `status`, three
 * variants: 2.2 to 2.5), and as live deployments send them (the field `state` holds the state, and
 * `status` is a message or null; source: answers of live deployments that the vendor has
 * published).
 */
import { asNumber, asObject, asText, asTextOrJson } from './json.ts'
import type { JsonObject } from './json.ts'
import type { StatusObservation, TaskObservation } from './observation.ts'

/** Further tasks are ignored: a record stays small whatever the target sends. */
const MAX_TASKS = 1_000

export type InterfacePhase = 'running' | 'completed' | 'failed'

/** The phase that the field `status` names, ignoring case; undefined for any other value. */
export function interfacePhase(status: unknown): InterfacePhase | undefined {
  if (status === 'running') return status
  if (typeof status !== 'string') return undefined
  switch (status.toLowerCase()) {
    case 'running':
      return 'running'
    case 'completed':
      return 'completed'
    case 'error':
      return 'failed'
    default:
      return undefined
  }
}

/** Fills in the fields of the variant. */
export function readInterfaceBody(seen: StatusObservation, body: JsonObject): void {
  const progress = asObject(body['progress'])
  seen.task = asText(body['current_task'])
  seen.completedTasks = asNumber(progress?.['completed_tasks'])
  seen.totalTasks = asNumber(progress?.['total_tasks'])
  seen.executionTimeSeconds = asNumber(body['execution_time'])
  if (seen.phase === 'failed') seen.error = asTextOrJson(body['error'])
  if (seen.phase === 'completed') readResult(seen, body['result'])
}

function readResult(seen: StatusObservation, value: unknown): void {
  const result = asObject(value)
  if (result === undefined) {
    seen.output = asTextOrJson(value)
    return
  }
  seen.output = asTextOrJson(result['output'])
  const tasks = result['tasks']
  if (Array.isArray(tasks)) seen.tasks = tasks.slice(0, MAX_TASKS).map(readTask)
}

function readTask(value: unknown): TaskObservation {
  const task = asObject(value)
  return {
    taskId: asTextOrJson(task?.['task_id']) ?? '',
    output: asTextOrJson(task?.['output']) ?? '',
    agent: asTextOrJson(task?.['agent']) ?? '',
    executionTimeSeconds: asNumber(task?.['execution_time']),
  }
}

export type PlatformPhase = 'running' | 'paused' | 'completed' | 'failed' | 'not-found'

/** The phase that the field `state` names, ignoring case; undefined for any other value. */
export function platformPhase(state: unknown): PlatformPhase | undefined {
  if (typeof state !== 'string') return undefined
  switch (state.toUpperCase()) {
    case 'PENDING':
    case 'STARTED':
    case 'RUNNING':
      return 'running'
    case 'PAUSED':
      return 'paused'
    case 'SUCCESS':
      return 'completed'
    case 'FAILED':
    case 'FAILURE':
    case 'REVOKED':
      return 'failed'
    case 'NOT FOUND':
      return 'not-found'
    default:
      return undefined
  }
}

/**
 * Fills in the fields of the body; the execution time is the progress's `duration_seconds`, once
 * the execution has ended.
 */
export function readPlatformBody(seen: StatusObservation, body: JsonObject): void {
  const progress = asObject(body['progress'])
  seen.task = asText(progress?.['current'])
  seen.completedTasks = asNumber(progress?.['completed'])
  seen.totalTasks = asNumber(progress?.['total'])
  if (seen.phase === 'completed') {
    seen.output = asTextOrJson(body['result']) ?? asTextOrJson(body['result_json'])
  }
  if (seen.phase === 'failed') {
    seen.error = asTextOrJson(body['status']) ?? asText(body['state'])
  }
  if (seen.phase === 'completed' || seen.phase === 'failed') {
    seen.executionTimeSeconds = asNumber(progress?.['duration_seconds'])
  }
}
