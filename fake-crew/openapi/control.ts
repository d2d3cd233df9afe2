/**
 * What stands beside the interface, under `/__fake__/`, in OpenAPI: open on loopback, elsewhere
 * with the admin token.
 */
import type { JsonObject } from './parts.ts'
import { emptyAnswer, exactly, jsonAnswer, ref, textAnswer } from './parts.ts'

const MILLIS = { type: 'number', description: "Milliseconds on the fake crew's clock." }
const MILLIS_OR_NULL = { ...MILLIS, type: ['number', 'null'] }

export function controlSchemas(): JsonObject {
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

/** Faults are told of those rows alone whose answers they touched. */
function ledgerRow(): JsonObject {
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
  return { ...exactly(row), properties: { ...row, faults } }
}

export function controlPaths(): JsonObject {
  return {
    '/__fake__/ledger': {
      get: operation('getLedger', 'The truth: one LedgerRow a line', {
        200: textAnswer('NDJSON, in order of acceptance.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/refusals': {
      get: operation('getRefusals', 'Requests that limits refused: one RefusalMark a line', {
        200: textAnswer('NDJSON, in order of time.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/clock': {
      get: operation('getClock', "The ledger's clock", {
        200: jsonAnswer('Now, and its zero in Unix time.', ref('schemas', 'Clock')),
      }),
    },
    '/__fake__/profile': {
      get: operation('getProfile', 'The profile in its complete form, which PUT takes too', {
        200: jsonAnswer('Times in microseconds.', { type: 'object' }),
      }),
      put: {
        ...operation('putProfile', 'Starts anew with another profile', {
          200: jsonAnswer('The new profile.', { type: 'object' }),
          413: jsonAnswer('Larger than 64 KiB.', ref('schemas', 'ControlError')),
          422: jsonAnswer('Every mistake in it; nothing changed.', mistakes()),
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
      get: operation('getMetrics', 'Counts, for Prometheus', {
        200: textAnswer('Text exposition format.', 'text/plain'),
      }),
    },
  }
}

function faultPaths(): JsonObject {
  const list = exactly({ faults: { type: 'array', items: ref('schemas', 'Fault') } })
  const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } }
  return {
    '/__fake__/faults': {
      get: operation('getFaults', 'Faults that are there, on or off', {
        200: jsonAnswer('Each with the number of answers that it touched.', list),
      }),
      post: {
        ...operation('addFaults', 'Adds faults, whose times count from now', {
          201: jsonAnswer('Those that were added.', list),
          413: jsonAnswer('Larger than 64 KiB.', ref('schemas', 'ControlError')),
          422: jsonAnswer('Every mistake in it; nothing changed.', mistakes()),
        }),
        requestBody: {
          required: true,
          content: { 'application/yaml': { schema: { type: 'string' } } },
        },
      },
      delete: operation('clearFaults', 'Clears all faults', { 204: emptyAnswer('Done.') }),
    },
    '/__fake__/faults/marks': {
      get: operation('getFaultMarks', 'Which fault touched which answer: one FaultMark a line', {
        200: textAnswer('NDJSON, in order of time.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/faults/spells': {
      get: operation('getFaultSpells', 'When each fault was on: one FaultSpells a line', {
        200: textAnswer('NDJSON, those that were cleared first.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/faults/{name}': {
      parameters: [name],
      delete: operation('clearFault', 'Clears one fault', {
        204: emptyAnswer('Done.'),
        404: jsonAnswer('There is none of that name.', ref('schemas', 'ControlError')),
      }),
    },
  }
}

function operation(operationId: string, summary: string, responses: JsonObject): JsonObject {
  const error = ref('schemas', 'ControlError')
  const stranger = jsonAnswer(
    'Without the admin token, from beyond loopback or where it is set.',
    error,
  )
  const page = jsonAnswer('Without an admin token, from a web page or by a name.', error)
  return {
    tags: ['control'],
    operationId,
    summary,
    security: [{}, { admin: [] }],
    responses: { ...responses, 401: stranger, 403: page },
  }
}

function mistakes(): JsonObject {
  const details = { type: 'object', properties: { mistakes: { type: 'array' } } }
  return exactly({ error: { type: 'string' }, message: { type: 'string' }, details })
}
