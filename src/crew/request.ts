/** The three requests of the interface. */
import type { CrewRequest } from './answer.ts'

/** The value of `x-correlation-id` in every request of an execution: `0f3a9c11/42`. */
export function correlationId(runId: string, index: number): string {
  return `${runId}/${index}`
}

/** `GET /inputs`, outside any execution. */
export function inputsRequest(correlation: string): CrewRequest {
  return {
    operation: 'inputs',
    execution: -1,
    method: 'GET',
    path: '/inputs',
    body: null,
    correlation,
  }
}

/**
 * `POST /kickoff` with `{"inputs":{...}}`. Throws what `JSON.stringify` throws: inputs that cannot
 * be JSON are the user's mistake.
 */
export function kickoffRequest(kickoff: {
  index: number
  inputs: Readonly<Record<string, unknown>>
  correlation: string
}): CrewRequest {
  return {
    operation: 'kickoff',
    execution: kickoff.index,
    method: 'POST',
    path: '/kickoff',
    body: JSON.stringify({ inputs: kickoff.inputs }),
    correlation: kickoff.correlation,
  }
}

/** `GET /status/{kickoff_id}`; an id accepted by `readKickoff` always makes a valid path. */
export function statusRequest(status: {
  index: number
  kickoffId: string
  correlation: string
}): CrewRequest {
  return {
    operation: 'status',
    execution: status.index,
    method: 'GET',
    path: `/status/${encodeURIComponent(status.kickoffId)}`,
    body: null,
    correlation: status.correlation,
    kept: undefined,
  }
}
