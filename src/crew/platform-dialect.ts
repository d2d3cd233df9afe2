/**
 * Status bodies as live deployments send them, which differ from the documentation: the field
 * `state` holds the state, and `status` is a message or null. Source: answers of live deployments
 * that the vendor has published.
 */
import { asNumber, asObject, asText, asTextOrJson } from './json.ts'
import type { JsonObject } from './json.ts'
import type { StatusObservation } from './observation.ts'

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
