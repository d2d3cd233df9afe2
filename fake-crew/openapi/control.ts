/**
 * The control endpoints beside the interface, under `/__fake__/`, in OpenAPI: open on loopback,
 * elsewhere with the admin token.
 */
import type { OpenApiObject } from './parts.ts'
import { emptyAnswer, exactly, jsonAnswer, ref, textAnswer } from './parts.ts'

const MILLIS = { type: 'number', description: "Milliseconds on the fake crew's clock." }
const MILLIS_OR_NULL = { ...MILLIS, type: ['number', 'null'] }

export function controlSchemas(): OpenApiObject {
  return {
    LedgerRow: ledgerRow(),
    FaultMark: exactly({
      fault: { type: 'string' },
      operation: { enum: ['inputs', 'kickoff', 'status'] },
      at_ms: MILLIS,
      correlation: { type: ['string', 'null'] },
      kickoff_id: { type: ['string', 'null'] },
    }),
    RefusalMark: exactly({
      limit: {
        type: ['string', 'null'],
        description: "The limit's name, or `cold start`. Null: the queue for workers was full.",
      },
      operation: { enum: ['inputs', 'kickoff', 'status'] },
      at_ms: MILLIS,
      status: { type: 'integer' },
      correlation: { type: ['string', 'null'] },
      kickoff_id: { type: ['string', 'null'] },
    }),
    FaultSpells: exactly({
      fault: { type: 'string' },
      kind: { type: 'string' },
      always: { type: 'boolean' },
      spells: { type: 'array', items: exactly({ from_ms: MILLIS, to_ms: MILLIS_OR_NULL }) },
    }),
    Fault: exactly({ fault: { type: 'object' }, touched: { type: 'integer', minimum: 0 } }),
    Clock: exactly({
      now_ms: MILLIS,
      anchor_unix_ms: { type: 'number' },
      speed: { type: 'number' },
    }),
    ControlError: exactly({ error: { type: 'string' }, message: { type: 'string' } }),
  }
}

/** Only rows whose answers faults have changed name faults, and only those that asked, people. */
function ledgerRow(): OpenApiObject {
  const row = {
    kickoff_id: { type: 'string', format: 'uuid' },
    ordinal: { type: 'integer', minimum: 0 },
    correlation: { type: ['string', 'null'] },
    accepted_ms: MILLIS,
    started_ms: MILLIS_OR_NULL,
    ended_ms: MILLIS_OR_NULL,
    outcome: { enum: ['running', 'completed', 'failed', 'stuck', 'lost'] },
    tasks: {
      type: 'array',
      items: exactly({ task_id: { type: 'string' }, execution_time: { type: 'number' } }),
    },
    output_hash: { type: ['string', 'null'], pattern: '^[0-9a-f]{8}$' },
  }
  const faults = { type: 'array', items: ref('schemas', 'FaultMark') }
  const span = { task_id: { type: 'string' }, from_ms: MILLIS, to_ms: MILLIS_OR_NULL }
  const asked = { type: 'array', items: exactly(span) }
  const kickoff = { type: 'object', description: 'Members of the kickoff beside inputs.' }
  return { ...exactly(row), properties: { ...row, asked, kickoff, faults } }
}

export function controlPaths(): OpenApiObject {
  return {
    '/__fake__/ledger': {
      get: operation('getLedger', 'The truth: one LedgerRow per line', {
        200: textAnswer('NDJSON, in order of acceptance.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/refusals': {
      get: operation('getRefusals', 'Requests that limits refused: one RefusalMark per line', {
        200: textAnswer('NDJSON, in order of time.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/clock': {
      get: operation('getClock', "The ledger's clock", {
        200: jsonAnswer('The current time, and its zero in Unix time.', ref('schemas', 'Clock')),
      }),
    },
    '/__fake__/profile': {
      get: operation('getProfile', 'The profile in its complete form, which PUT also accepts', {
        200: jsonAnswer('Times in microseconds.', { type: 'object' }),
      }),
      put: {
        ...operation('putProfile', 'Restarts with another profile', {
          200: jsonAnswer('The new profile.', { type: 'object' }),
          413: jsonAnswer('Larger than 64 KiB.', ref('schemas', 'ControlError')),
          422: jsonAnswer('Every mistake in it; nothing was changed.', mistakes()),
        }),
        requestBody: {
          required: true,
          content: { 'application/yaml': { schema: { type: 'string' } } },
        },
      },
    },
    ...faultPaths(),
    '/__fake__/reset': {
      post: operation('reset', 'Forgets every execution', { 204: emptyAnswer('Done.') }),
    },
    '/__fake__/metrics': {
      get: operation('getMetrics', 'Metrics for Prometheus', {
        200: textAnswer('Text exposition format.', 'text/plain'),
      }),
    },
  }
}

function faultPaths(): OpenApiObject {
  const list = exactly({ faults: { type: 'array', items: ref('schemas', 'Fault') } })
  const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } }
  return {
    '/__fake__/faults': {
      get: operation('getFaults', 'The faults that are installed, on or off', {
        200: jsonAnswer('Each with the number of answers that it changed.', list),
      }),
      post: {
        ...operation('addFaults', 'Adds faults whose times count from now', {
          201: jsonAnswer('The faults that were added.', list),
          413: jsonAnswer('Larger than 64 KiB.', ref('schemas', 'ControlError')),
          422: jsonAnswer('Every mistake in it; nothing was changed.', mistakes()),
        }),
        requestBody: {
          required: true,
          content: { 'application/yaml': { schema: { type: 'string' } } },
        },
      },
      delete: operation('clearFaults', 'Clears all faults', { 204: emptyAnswer('Done.') }),
    },
    '/__fake__/faults/marks': {
      get: operation('getFaultMarks', 'Which fault changed which answer: one FaultMark per line', {
        200: textAnswer('NDJSON, in order of time.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/faults/spells': {
      get: operation('getFaultSpells', 'When each fault was on: one FaultSpells per line', {
        200: textAnswer('NDJSON, cleared faults first.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/faults/{name}': {
      parameters: [name],
      delete: operation('clearFault', 'Clears one fault', {
        204: emptyAnswer('Done.'),
        404: jsonAnswer('There is no fault with this name.', ref('schemas', 'ControlError')),
      }),
    },
  }
}

function operation(operationId: string, summary: string, responses: OpenApiObject): OpenApiObject {
  const error = ref('schemas', 'ControlError')
  const stranger = jsonAnswer(
    'The admin token is missing, from an address beyond loopback or because one is required.',
    error,
  )
  const page = jsonAnswer(
    'No admin token is set, and the request comes from a web page or by host name.',
    error,
  )
  return {
    tags: ['control'],
    operationId,
    summary,
    security: [{}, { admin: [] }],
    responses: { ...responses, 401: stranger, 403: page },
  }
}

function mistakes(): OpenApiObject {
  const details = { type: 'object', properties: { mistakes: { type: 'array' } } }
  return exactly({ error: { type: 'string' }, message: { type: 'string' }, details })
}
