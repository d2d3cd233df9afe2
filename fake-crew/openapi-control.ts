/** What stands beside the interface, under `/__fake__/`, in OpenAPI: open on loopback, elsewhere with the admin token. */
import type { JsonObject } from './openapi-parts.ts'
import { emptyAnswer, exactly, jsonAnswer, ref, textAnswer } from './openapi-parts.ts'

const MILLIS = { type: 'number', description: "Milliseconds on the fake crew's clock." }
const MILLIS_OR_NULL = { ...MILLIS, type: ['number', 'null'] }

export function controlSchemas(): JsonObject {
  return {
    LedgerRow: exactly({
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
    }),
    Clock: exactly({
      now_ms: MILLIS,
      anchor_unix_ms: { type: 'number' },
      speed: { type: 'number' },
    }),
    ControlError: exactly({ error: { type: 'string' }, message: { type: 'string' } }),
  }
}

export function controlPaths(): JsonObject {
  return {
    '/__fake__/ledger': {
      get: operation('getLedger', 'The truth: one LedgerRow a line', {
        200: textAnswer('NDJSON, in order of acceptance.', 'application/x-ndjson'),
      }),
    },
    '/__fake__/clock': {
      get: operation('getClock', "The ledger's clock", {
        200: jsonAnswer('Now, and its zero in Unix time.', ref('schemas', 'Clock')),
      }),
    },
    '/__fake__/profile': {
      get: operation('getProfile', 'The profile with every default', {
        200: jsonAnswer('Times in microseconds.', { type: 'object' }),
      }),
      put: {
        ...operation('putProfile', 'Starts anew with another profile', {
          200: jsonAnswer('The new profile.', { type: 'object' }),
          413: jsonAnswer('Larger than 1 MiB.', ref('schemas', 'ControlError')),
          422: jsonAnswer('Every mistake in it; nothing changed.', mistakes()),
        }),
        requestBody: {
          required: true,
          content: { 'application/yaml': { schema: { type: 'string' } } },
        },
      },
    },
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

function operation(operationId: string, summary: string, responses: JsonObject): JsonObject {
  const error = ref('schemas', 'ControlError')
  const stranger = jsonAnswer('From beyond loopback, without the admin token.', error)
  return {
    tags: ['control'],
    operationId,
    summary,
    security: [{}, { admin: [] }],
    responses: { ...responses, 401: stranger },
  }
}

function mistakes(): JsonObject {
  const details = { type: 'object', properties: { mistakes: { type: 'array' } } }
  return exactly({ error: { type: 'string' }, message: { type: 'string' }, details })
}
