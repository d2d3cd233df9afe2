/**
 * The dialect of live deployments in OpenAPI: field `state`, errors as `{detail}`, and an unknown
 * id that is answered with 200.
 */
import type { OpenApiObject, DialectParts } from './parts.ts'
import { exactly, jsonAnswer, ref, refusalHeaders, textAnswer } from './parts.ts'

const TEXT_OR_NULL = { type: ['string', 'null'] }
const COUNT = { type: 'integer', minimum: 0 }
const ALWAYS_NULL = { type: 'null', description: 'Always null here.' }

const FIELDS = {
  status: ALWAYS_NULL,
  result: ALWAYS_NULL,
  result_json: ALWAYS_NULL,
  progress: { oneOf: [ref('schemas', 'Progress'), { type: 'null' }] },
  last_executed_task: { oneOf: [ref('schemas', 'ExecutedTask'), { type: 'null' }] },
  last_step: ALWAYS_NULL,
  source: ALWAYS_NULL,
}

const SCHEMAS = {
  Status: {
    oneOf: ['Pending', 'Running', 'Paused', 'Succeeded', 'Failed', 'Unknown'].map((name) =>
      ref('schemas', name),
    ),
  },
  Pending: exactly({
    ...FIELDS,
    state: { const: 'PENDING' },
    status: { const: 'Task is pending' },
    progress: ALWAYS_NULL,
    last_executed_task: ALWAYS_NULL,
  }),
  Running: exactly({ ...FIELDS, state: { enum: ['STARTED', 'RUNNING'] } }),
  Paused: exactly({
    ...FIELDS,
    state: { const: 'PAUSED', description: 'A person is asked.' },
  }),
  Succeeded: exactly({
    ...FIELDS,
    state: { const: 'SUCCESS' },
    result: { type: 'string', description: "The last task's output." },
  }),
  Failed: exactly({
    ...FIELDS,
    state: { const: 'FAILED' },
    status: { type: 'string', description: 'What went wrong.' },
  }),
  Unknown: exactly({
    ...FIELDS,
    state: { const: 'NOT FOUND' },
    status: { const: 'Task not found or Invalid kickoff id' },
    progress: ALWAYS_NULL,
    last_executed_task: ALWAYS_NULL,
  }),
  ExecutedTask: exactly({
    task_id: { type: 'string' },
    agent: { type: 'string' },
    output: { type: 'string' },
  }),
  Progress: exactly({
    unit: { enum: ['task', 'step'] },
    completed: COUNT,
    total: { ...COUNT, type: ['integer', 'null'], minimum: 1 },
    remaining: { ...COUNT, type: ['integer', 'null'] },
    current: TEXT_OR_NULL,
    current_agent: TEXT_OR_NULL,
    started_at: { type: 'string', format: 'date-time' },
    updated_at: { type: 'string', format: 'date-time' },
    duration_seconds: { type: 'number', minimum: 0 },
  }),
  Error: exactly({ detail: { type: 'string' } }),
}

export const platformParts: DialectParts = {
  dialect: 'platform',
  schemas: SCHEMAS,
  statusAnswers: {
    200: jsonAnswer('An unknown id and a failure are not HTTP errors.', ref('schemas', 'Status')),
  },
  kickoffRefusals: {
    413: refusal(413, 'The body is larger than the profile allows.'),
    415: refusal(415, 'The body is not application/json.'),
    422: refusal(
      422,
      'The body has the wrong shape or is nested too deeply, or inputs are missing.',
    ),
    429: refusal(429, 'Every worker is busy and the queue is full.'),
    503: refusal(503, 'Every worker is busy and the queue is full.'),
  },
  serverError: textAnswer('A failure of the server, or a body that is not JSON.', 'text/plain', {
    const: 'Internal Server Error',
  }),
  refusal,
}

function refusal(status: number, description: string): OpenApiObject {
  return jsonAnswer(description, ref('schemas', 'Error'), refusalHeaders(status))
}
