/**
 * The documented dialect in OpenAPI: three variants of a status, distinguished by `status`, and the
 * Error body.
 */
import type { OpenApiObject, DialectParts } from './parts.ts'
import { exactly, jsonAnswer, ref, refusalHeaders } from './parts.ts'

const SECONDS = { type: 'number', minimum: 0, description: 'Seconds.' }
const COUNT = { type: 'integer', minimum: 0 }

const SCHEMAS = {
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
  Running: exactly({
    status: { const: 'running' },
    current_task: { type: 'string', description: 'For a waiting execution: its first task.' },
    progress: exactly({ completed_tasks: COUNT, total_tasks: { ...COUNT, minimum: 1 } }),
  }),
  Completed: exactly({
    status: { const: 'completed' },
    result: exactly({
      output: { type: 'string', description: "The last task's output." },
      tasks: { type: 'array', items: ref('schemas', 'TaskResult'), minItems: 1 },
    }),
    execution_time: SECONDS,
  }),
  TaskResult: exactly({
    task_id: { type: 'string' },
    output: { type: 'string' },
    agent: { type: 'string' },
    execution_time: SECONDS,
  }),
  Failed: exactly({
    status: { const: 'error' },
    error: { type: 'string', description: 'What went wrong.' },
    execution_time: SECONDS,
  }),
  Error: exactly({ error: { type: 'string' }, message: { type: 'string' } }),
  MissingInputs: exactly({
    error: { const: 'Validation Error' },
    message: { const: 'Missing required inputs' },
    details: exactly({
      missing_inputs: { type: 'array', items: { type: 'string' }, minItems: 1 },
    }),
  }),
}

export const interfaceParts: DialectParts = {
  dialect: 'interface',
  schemas: SCHEMAS,
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
  serverError: refusal(500, 'A failure of the server itself.'),
  refusal,
}

function refusal(status: number, description: string): OpenApiObject {
  return jsonAnswer(description, ref('schemas', 'Error'), refusalHeaders(status))
}
