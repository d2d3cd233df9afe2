/** The two dialects in OpenAPI, and the building blocks of their documents. */
import type { DialectName } from '../../src/crew/wire.ts'

export interface OpenApiObject {
  [key: string]: unknown
}

/** The differences between the dialects. Its answers are keyed by status code. */
export interface DialectParts {
  schemas: OpenApiObject
  statusAnswers: OpenApiObject
  kickoffRefusals: OpenApiObject
  /** Refusals of an answer for a person. */
  resumeRefusals: OpenApiObject
  serverError: OpenApiObject
}

/** `{ $ref: '#/components/schemas/Name' }` */
export function ref(kind: 'schemas' | 'responses', name: string): OpenApiObject {
  return { $ref: `#/components/${kind}/${name}` }
}

/** An object with exactly these fields, all required, and perhaps some others. */
export function exactly(fields: OpenApiObject, others: OpenApiObject = {}): OpenApiObject {
  const required = Object.keys(fields)
  const properties = { ...fields, ...others }
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Only where the profile gives it. */
const USAGE = {
  usage_metrics: { type: 'object', additionalProperties: { type: ['number', 'string'] } },
}

export function jsonAnswer(description: string, schema: OpenApiObject, headers?: OpenApiObject) {
  return answer(description, { 'application/json': { schema } }, headers)
}

export function textAnswer(description: string, type: string, schema: OpenApiObject = {}) {
  return answer(description, { [type]: { schema: { type: 'string', ...schema } } })
}

export function emptyAnswer(description: string, headers?: OpenApiObject): OpenApiObject {
  return { description, ...(headers === undefined ? {} : { headers }) }
}

/** Headers of a refusal with this status, the same in every dialect. */
function refusalHeaders(status: number): OpenApiObject | undefined {
  if (status === 401) {
    return { 'WWW-Authenticate': { required: true, schema: { type: 'string', const: 'Bearer' } } }
  }
  if (status === 405) return { Allow: { required: true, schema: { type: 'string' } } }
  if (status === 429 || status === 503) {
    const description = 'Whole seconds; missing when the profile gives none.'
    return { 'Retry-After': { description, schema: { type: 'string', pattern: '^\\d+$' } } }
  }
  return undefined
}

function answer(
  description: string,
  content: OpenApiObject,
  headers?: OpenApiObject,
): OpenApiObject {
  return { ...emptyAnswer(description, headers), content }
}

/** In either dialect, a refusal has the Error body of the document's schemas. */
export function refusal(status: number, description: string): OpenApiObject {
  return jsonAnswer(description, ref('schemas', 'Error'), refusalHeaders(status))
}

const SECONDS = { type: 'number', minimum: 0, description: 'Seconds.' }
const COUNT = { type: 'integer', minimum: 0 }

const INTERFACE_SCHEMAS = {
  Status: {
    oneOf: [ref('schemas', 'Running'), ref('schemas', 'Completed'), ref('schemas', 'Failed')],
    discriminator: {
      propertyName: 'status',
      mapping: {
        running: '#/components/schemas/Running',
        completed: '#/components/schemas/Completed',
        error: '#/components/schemas/Failed',
      },
    },
  },
  Running: exactly(
    {
      status: { const: 'running' },
      current_task: { type: 'string', description: 'For a waiting execution: its first task.' },
      progress: exactly({ completed_tasks: COUNT, total_tasks: { ...COUNT, minimum: 1 } }),
    },
    USAGE,
  ),
  Completed: exactly(
    {
      status: { const: 'completed' },
      result: exactly({
        output: { type: 'string', description: "The last task's output." },
        tasks: { type: 'array', items: ref('schemas', 'TaskResult'), minItems: 1 },
      }),
      execution_time: SECONDS,
    },
    USAGE,
  ),
  TaskResult: exactly({
    task_id: { type: 'string' },
    output: { type: 'string' },
    agent: { type: 'string' },
    execution_time: SECONDS,
  }),
  Failed: exactly(
    {
      status: { const: 'error' },
      error: { type: 'string', description: 'What went wrong.' },
      execution_time: SECONDS,
    },
    USAGE,
  ),
  Error: exactly({ error: { type: 'string' }, message: { type: 'string' } }),
  MissingInputs: exactly({
    error: { const: 'Validation Error' },
    message: { const: 'Missing required inputs' },
    details: exactly({
      missing_inputs: { type: 'array', items: { type: 'string' }, minItems: 1 },
    }),
  }),
}

const RESUME_REFUSALS = {
  413: refusal(413, 'The body is larger than the profile allows.'),
  415: refusal(415, 'The body is not application/json.'),
  422: refusal(422, 'One of the two ids is missing, or the body is nested too deeply.'),
}

const interfaceParts: DialectParts = {
  schemas: INTERFACE_SCHEMAS,
  statusAnswers: {
    200: jsonAnswer('A failed execution is not an HTTP error.', ref('schemas', 'Status')),
    404: refusal(404, 'No execution exists for this id.'),
  },
  kickoffRefusals: {
    400: refusal(400, 'The body is not JSON, or not of the right shape.'),
    413: refusal(413, 'The body is larger than the profile allows.'),
    415: refusal(415, 'The body is not application/json.'),
    422: jsonAnswer('Required inputs are missing, or the body is nested too deeply.', {
      oneOf: [ref('schemas', 'MissingInputs'), ref('schemas', 'Error')],
    }),
    429: refusal(429, 'Every worker is busy and the queue is full.'),
    503: refusal(503, 'Every worker is busy and the queue is full.'),
  },
  resumeRefusals: {
    400: refusal(400, 'The body is not JSON, or not of the right shape.'),
    404: refusal(404, 'No execution exists for this id.'),
    ...RESUME_REFUSALS,
  },
  serverError: refusal(500, 'A failure of the server itself.'),
}

const TEXT_OR_NULL = { type: ['string', 'null'] }
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

const PLATFORM_SCHEMAS = {
  Status: {
    oneOf: ['Pending', 'Running', 'Paused', 'Succeeded', 'Failed', 'Unknown'].map((name) =>
      ref('schemas', name),
    ),
  },
  Pending: exactly(
    {
      ...FIELDS,
      state: { const: 'PENDING' },
      status: { const: 'Task is pending' },
      progress: ALWAYS_NULL,
      last_executed_task: ALWAYS_NULL,
    },
    USAGE,
  ),
  Running: exactly({ ...FIELDS, state: { enum: ['STARTED', 'RUNNING'] } }, USAGE),
  Paused: exactly(
    {
      ...FIELDS,
      state: { const: 'PAUSED', description: 'A person is asked.' },
    },
    USAGE,
  ),
  Succeeded: exactly(
    {
      ...FIELDS,
      state: { const: 'SUCCESS' },
      result: { type: 'string', description: "The last task's output." },
    },
    USAGE,
  ),
  Failed: exactly(
    {
      ...FIELDS,
      state: { const: 'FAILED' },
      status: { type: 'string', description: 'What went wrong.' },
    },
    USAGE,
  ),
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

/** Members of every state but the unknown since 2026-10; one that was only resumed lacks them. */
const ORIGIN = { triggered_by: { type: 'string' }, execution_origin: { type: 'string' } }

const SCHEMAS_OF_2026_10 = Object.fromEntries(
  Object.entries(PLATFORM_SCHEMAS).map(([name, schema]) => [
    name,
    'properties' in schema && 'state' in (schema.properties as object) && name !== 'Unknown'
      ? { ...schema, properties: { ...(schema.properties as object), ...ORIGIN } }
      : schema,
  ]),
)

const platformParts: DialectParts = {
  schemas: PLATFORM_SCHEMAS,
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
  resumeRefusals: RESUME_REFUSALS,
  serverError: textAnswer('A failure of the server, or a body that is not JSON.', 'text/plain', {
    const: 'Internal Server Error',
  }),
}

export const DIALECTS: Readonly<Record<DialectName, DialectParts>> = {
  /** Three variants of a status, distinguished by `status`. */
  interface: interfaceParts,
  /** The field `state`, errors as `{detail}`, and an unknown id that is answered with 200. */
  platform: platformParts,
  /** The same, with what was seen of live deployments in that month. */
  'platform-2026-10': { ...platformParts, schemas: SCHEMAS_OF_2026_10 },
}
