/** The three requests of the interface, and the answer for a person. */
import type { Operation } from './answer.ts'

/**
 * One request of the interface. Token and base URL belong to the host and never appear in a record.
 */
export interface CrewRequest {
  operation: Operation
  /**
   * Index of the execution; -1 for a request outside any (the preflight). The host assigns tokens
   * in rotation by it.
   */
  execution: number
  method: 'GET' | 'POST'
  /** Relative to the base URL, with a leading slash: `/status/<id>`. */
  path: string
  /** JSON text, or null for no body. */
  body: string | null
  /** The value of `x-correlation-id`, for the target's logs: `<run id>/<index>`. */
  correlation: string
  /**
   * The host's own: what it keeps from one sending of this request to the next. Nobody else reads
   * or writes it.
   */
  kept?: unknown
}

/** The value of `x-correlation-id` in every request of an execution: `0f3a9c11/42`. */
export function correlationId(runId: string, index: number): string {
  return `${runId}/${index}`
}

/** Where a crew serves the interface, relative to its base URL. */
export interface CrewPaths {
  inputs: string
  kickoff: string
  /** With `{id}` in the place of the kickoff id. */
  status: string
}

/** As the document has them; the vendor's own service had `/{id}/status` for half a year. */
export const DOCUMENTED_PATHS: CrewPaths = {
  inputs: '/inputs',
  kickoff: '/kickoff',
  status: '/status/{id}',
}

/** What stands for the kickoff id in the path of a status. */
export const ID_PLACE = '{id}'

/** Where an answer for a person goes; a vendor's document names it, and the interface does not. */
export const RESUME_PATH = '/resume'

/**
 * How the body of `POST /resume` names the execution and the task: as the vendor's document does,
 * or as live deployments demand.
 */
export const RESUME_FORMS = {
  documented: { execution: 'execution_id', task: 'task_id' },
  live: { execution: 'executionId', task: 'taskId' },
} as const
export type ResumeForm = keyof typeof RESUME_FORMS

/** The members of a kickoff's body that `POST /resume` must repeat: pushes end without them. */
const REPEATED = ['taskWebhookUrl', 'stepWebhookUrl', 'crewWebhookUrl', 'webhooks'] as const

/** `GET /inputs`, outside any execution. */
export function inputsRequest(correlation: string, { inputs } = DOCUMENTED_PATHS): CrewRequest {
  return {
    operation: 'inputs',
    execution: -1,
    method: 'GET',
    path: inputs,
    body: null,
    correlation,
  }
}

/**
 * `POST /kickoff` with `{"inputs":{...}}` and further members beside. Throws what `JSON.stringify`
 * throws: inputs that cannot be JSON are the user's mistake.
 */
export function kickoffRequest(kickoff: {
  index: number
  inputs: Readonly<Record<string, unknown>>
  members?: Readonly<Record<string, unknown>> | undefined
  correlation: string
  paths?: CrewPaths | undefined
}): CrewRequest {
  const { inputs, members, paths = DOCUMENTED_PATHS } = kickoff
  return {
    operation: 'kickoff',
    execution: kickoff.index,
    method: 'POST',
    path: paths.kickoff,
    body: JSON.stringify({ inputs, ...members }),
    correlation: kickoff.correlation,
  }
}

/** `GET /status/{kickoff_id}`; an id accepted by `readKickoff` always makes a valid path. */
export function statusRequest(status: {
  index: number
  kickoffId: string
  correlation: string
  paths?: CrewPaths | undefined
}): CrewRequest {
  const { kickoffId, paths = DOCUMENTED_PATHS } = status
  return {
    operation: 'status',
    execution: status.index,
    method: 'GET',
    path: paths.status.replace(ID_PLACE, () => encodeURIComponent(kickoffId)),
    body: null,
    correlation: status.correlation,
    kept: undefined,
  }
}

/** `POST /resume`: what a person answers about a task. `members`: those of the kickoff. */
export function resumeRequest(resume: {
  index: number
  kickoffId: string
  taskId: string
  approve: boolean
  feedback: string
  form: ResumeForm
  members?: Readonly<Record<string, unknown>> | undefined
  correlation: string
}): CrewRequest {
  const { execution, task } = RESUME_FORMS[resume.form]
  const { members = {} } = resume
  const repeated = REPEATED.filter((name) => Object.hasOwn(members, name))
  return {
    operation: 'resume',
    execution: resume.index,
    method: 'POST',
    path: RESUME_PATH,
    body: JSON.stringify({
      [execution]: resume.kickoffId,
      [task]: resume.taskId,
      human_feedback: resume.feedback,
      is_approve: resume.approve,
      ...Object.fromEntries(repeated.map((name) => [name, members[name]])),
    }),
    correlation: resume.correlation,
  }
}
