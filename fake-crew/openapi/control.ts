/**
 * The control endpoints beside the interface, under `/__fake__/`, in OpenAPI: open on loopback,
 * elsewhere with the admin token.
 */
import { z } from 'zod'
import {
  faultMark,
  faultSpells,
  ledgerRow,
  refusalMark,
  requestRow,
} from '../../src/crew/ledger.ts'
import { REQUEST_FILTERS } from '../model/records/journal.ts'
import type { OpenApiObject } from './dialects.ts'
import { emptyAnswer, exactly, jsonAnswer, ref, textAnswer } from './dialects.ts'

const TEXT = { type: 'string' }

export function controlSchemas(): OpenApiObject {
  return {
    LedgerRow: schemaOf(ledgerRow),
    FaultMark: schemaOf(faultMark),
    RefusalMark: schemaOf(refusalMark),
    LedgerRequest: schemaOf(requestRow),
    FaultSpells: schemaOf(faultSpells),
    Fault: exactly({ fault: { type: 'object' }, touched: { type: 'integer', minimum: 0 } }),
    Clock: exactly(
      {
        now_ms: { type: 'number', description: "Milliseconds on the fake crew's clock." },
        anchor_unix_ms: { type: 'number' },
        speed: { type: 'number' },
      },
      { manual: { const: true, description: 'It stands still until it is advanced.' } },
    ),
    ControlError: exactly({ error: TEXT, message: TEXT }),
    Mistakes: exactly({
      error: TEXT,
      message: TEXT,
      details: { type: 'object', properties: { mistakes: { type: 'array' } } },
    }),
  }
}

function schemaOf(schema: z.ZodType): OpenApiObject {
  const { $schema: _, ...written } = z.toJSONSchema(schema)
  return written
}

const ERROR = ref('schemas', 'ControlError')
const DONE = { 204: emptyAnswer('Done.') }

function lines(description: string): OpenApiObject {
  return { 200: textAnswer(`NDJSON, ${description}.`, 'application/x-ndjson') }
}

/** An operation whose body is YAML. */
function written(operationOf: OpenApiObject): OpenApiObject {
  const content = { 'application/yaml': { schema: TEXT } }
  return { ...operationOf, requestBody: { required: true, content } }
}

const WRONG = {
  413: jsonAnswer('Larger than 64 KiB.', ERROR),
  422: jsonAnswer('Every mistake in it; nothing was changed.', ref('schemas', 'Mistakes')),
}

const HEALTH_BODY = exactly({ status: { enum: ['ready', 'not ready'] } })

/** Open to everybody. */
const HEALTH = {
  tags: ['control'],
  operationId: 'getHealth',
  summary: 'Whether it takes requests',
  security: [{}],
  responses: {
    200: jsonAnswer('It does.', HEALTH_BODY),
    503: jsonAnswer('It restarts or stops.', HEALTH_BODY),
  },
}

/** A request must have each of these values that is given. */
const REQUEST_FILTER = REQUEST_FILTERS.map((name) => ({ name, in: 'query', schema: TEXT }))

export function controlPaths(): OpenApiObject {
  const profile = { type: 'object' }
  const paths: Record<string, OpenApiObject> = {
    ledger: {
      get: operation(
        'getLedger',
        'The truth: one LedgerRow per line',
        lines('in order of acceptance'),
      ),
    },
    refusals: {
      get: operation(
        'getRefusals',
        'Requests that limits refused: one RefusalMark per line',
        lines('in order of time'),
      ),
    },
    requests: {
      parameters: REQUEST_FILTER,
      get: operation('getRequests', 'Requests and their answers: one LedgerRequest per line', {
        ...lines('in order of answers; `x-requests-dropped` counts those that are not kept'),
        422: jsonAnswer('A filter of another name.', ref('schemas', 'Mistakes')),
      }),
    },
    clock: {
      get: operation('getClock', "The ledger's clock", {
        200: jsonAnswer('The current time, and its zero in Unix time.', ref('schemas', 'Clock')),
      }),
    },
    'clock/advance': {
      post: written(
        operation('advanceClock', 'Moves a manual clock on, by a duration such as 10m', {
          200: jsonAnswer('The new time.', ref('schemas', 'Clock')),
          ...WRONG,
        }),
      ),
    },
    profile: {
      get: operation('getProfile', 'The profile as its author writes it, which PUT also accepts', {
        200: jsonAnswer('What it leaves out has its default.', profile),
      }),
      put: written(
        operation('putProfile', 'Restarts with another profile', {
          200: jsonAnswer('The new profile.', profile),
          ...WRONG,
        }),
      ),
    },
    ...faultPaths(),
    ...scriptPaths(),
    health: { get: HEALTH },
    reset: {
      post: operation('reset', 'Forgets every execution; with x-crewload-test, that test', DONE),
    },
    metrics: {
      get: operation('getMetrics', 'Metrics for Prometheus', {
        200: textAnswer('Text exposition format.', 'text/plain'),
      }),
    },
  }
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [`/__fake__/${path}`, item]),
  )
}

function faultPaths(): Record<string, OpenApiObject> {
  const list = exactly({ faults: { type: 'array', items: ref('schemas', 'Fault') } })
  return {
    faults: {
      get: operation('getFaults', 'The faults that are installed, on or off', {
        200: jsonAnswer('Each with the number of answers that it changed.', list),
      }),
      post: written(
        operation('addFaults', 'Adds faults whose times count from now', {
          201: jsonAnswer('The faults that were added.', list),
          ...WRONG,
        }),
      ),
      delete: operation('clearFaults', 'Clears all faults', DONE),
    },
    'faults/marks': {
      get: operation(
        'getFaultMarks',
        'Which fault changed which answer: one FaultMark per line',
        lines('in order of time'),
      ),
    },
    'faults/spells': {
      get: operation(
        'getFaultSpells',
        'When each fault was on: one FaultSpells per line',
        lines('cleared faults first'),
      ),
    },
    'faults/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, schema: TEXT }],
      delete: operation('clearFault', 'Clears one fault', {
        ...DONE,
        404: jsonAnswer('There is no fault with this name.', ERROR),
      }),
    },
  }
}

function scriptPaths(): Record<string, OpenApiObject> {
  const entry = exactly({ name: TEXT, test: { type: ['string', 'null'] } })
  const list = exactly({ scripts: { type: 'array', items: entry } })
  const proxy = { 422: jsonAnswer('A proxy has no executions.', ref('schemas', 'Mistakes')) }
  return {
    scripts: {
      get: operation('getScripts', 'The scripts of executions, in the order in which they apply', {
        200: jsonAnswer('Each with the test to which it belongs.', list),
        ...proxy,
      }),
      post: written(
        operation('addScripts', 'Adds scripts for kickoffs from now on', {
          201: jsonAnswer('The scripts that were added.', list),
          ...WRONG,
        }),
      ),
      delete: operation('clearScripts', 'Ends all scripts', { ...DONE, ...proxy }),
    },
    'scripts/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, schema: TEXT }],
      delete: operation('clearScript', 'Ends one script', {
        ...DONE,
        ...proxy,
        404: jsonAnswer('There is no script with this name.', ERROR),
      }),
    },
  }
}

function operation(operationId: string, summary: string, responses: OpenApiObject): OpenApiObject {
  return {
    tags: ['control'],
    operationId,
    summary,
    security: [{}, { admin: [] }],
    responses: {
      ...responses,
      401: jsonAnswer(
        'The admin token is missing, from an address beyond loopback or because one is required.',
        ERROR,
      ),
      403: jsonAnswer(
        'No admin token is set, and the request comes from a web page or by host name.',
        ERROR,
      ),
    },
  }
}
