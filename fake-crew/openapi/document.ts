/** The OpenAPI 3.1 document of exactly what a fake crew serves, in its dialect. */
import type { CrewPaths } from '../../src/crew/crew-request.ts'
import {
  DOCUMENTED_PATHS,
  ID_PLACE,
  RESUME_FORMS,
  RESUME_PATH,
} from '../../src/crew/crew-request.ts'
import type { Operation as OperationName } from '../../src/crew/answer.ts'
import type { DialectName } from '../../src/crew/wire.ts'
import type { LimitProfile } from '../model/limits/profile.ts'
import type { WakingRequests } from '../model/work/profile.ts'
import { controlPaths, controlSchemas } from './control.ts'
import type { DialectParts, OpenApiObject } from './dialects.ts'
import { DIALECTS, emptyAnswer, jsonAnswer, ref, refusal } from './dialects.ts'

export interface OpenApiOptions {
  dialect: DialectName
  /** Base address, without a trailing slash. */
  url: string
  /** Names of the inputs that a kickoff must contain. */
  inputs: readonly string[]
  /** Default: those of the document. */
  paths?: CrewPaths | undefined
  /** What limits the crew's requests: their refusals are documented answers too. */
  limits: readonly LimitProfile[]
  /** The answer to requests while the crew wakes; null if waking changes no answer. */
  waking?: WakingRequests | null
}

/**
 * The document as a JSON value. Answers that belong to no operation are under
 * `components.responses`: `MethodNotAllowed` (405, any other method on a known path) and
 * `PathNotFound` (404, any other path).
 */
export function openApiDocument(options: OpenApiOptions): OpenApiObject {
  const { dialect, url } = options
  const speech = DIALECTS[dialect]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crew Execution Service (fake crew)',
      version: '1.0.0',
      description: DESCRIPTION,
    },
    servers: [{ url }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'interface', description: 'What a deployed crew serves.' },
      { name: 'control', description: 'What only a fake crew serves, for tests.' },
    ],
    paths: {
      ...interfacePaths(options, speech),
      '/openapi.json': {
        get: {
          tags: ['control'],
          operationId: 'getOpenApi',
          summary: 'This document',
          security: [],
          responses: { 200: jsonAnswer('OpenAPI 3.1.', { type: 'object' }) },
        },
      },
      ...controlPaths(),
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Organization or user token.' },
        admin: { type: 'http', scheme: 'bearer', description: "The fake crew's admin token." },
      },
      schemas: { ...SCHEMAS, ...speech.schemas, ...controlSchemas() },
      responses: {
        Unauthorized: refusal(401, 'The token is missing or wrong.'),
        Forbidden: refusal(403, 'The user token may not do this.'),
        PathNotFound: refusal(404, 'The interface has no such path.'),
        MethodNotAllowed: METHOD_NOT_ALLOWED,
        ServerError: speech.serverError,
      },
    },
  }
}

function interfacePaths(options: OpenApiOptions, speech: DialectParts): OpenApiObject {
  const { dialect, inputs, paths = DOCUMENTED_PATHS } = options
  const operation = (
    name: OperationName,
    operationId: string,
    summary: string,
    { responses, ...more }: OpenApiObject & { responses: OpenApiObject },
  ): OpenApiOperation => ({
    tags: ['interface'],
    operationId,
    summary,
    ...more,
    responses: { ...responses, ...COMMON, ...forNow(options, name) },
  })
  return {
    [paths.inputs]: readable(
      operation('inputs', 'getInputs', 'The names of the inputs that the crew expects', {
        description: `In no particular order. This crew speaks the dialect \`${dialect}\`.`,
        responses: { 200: jsonAnswer('The names.', ref('schemas', 'Inputs')) },
      }),
      speech,
    ),
    [paths.kickoff]: {
      post: operation('kickoff', 'kickoff', 'Start an execution', {
        description: 'Not idempotent: each accepted request starts a separate execution.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: kickoffRequest(inputs) } },
        },
        responses: {
          200: jsonAnswer('Accepted.', ref('schemas', 'Kickoff')),
          ...speech.kickoffRefusals,
        },
      }),
      options: optionsOperation('kickoff', 'POST, OPTIONS', speech),
    },
    [paths.status.replace(ID_PLACE, '{kickoff_id}')]: {
      ...readable(
        operation('status', 'getStatus', 'The progress of an execution and its result', {
          responses: speech.statusAnswers,
        }),
        speech,
      ),
      parameters: [ID],
    },
    [RESUME_PATH]: {
      post: operation('resume', 'resume', 'Answer for the person who is asked about a task', {
        description: 'Accepted whether or not anybody is asked; pushes end that it does not name.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: resumeBody(dialect) } },
        },
        responses: {
          200: jsonAnswer('Accepted.', ref('schemas', 'Resumed')),
          ...speech.resumeRefusals,
        },
      }),
      options: optionsOperation('resume', 'POST, OPTIONS', speech),
    },
  }
}

const DESCRIPTION =
  'Runs a crew and reports the status and results of its executions. Read the inputs, start an ' +
  'execution, poll its status until it has ended. A missing or wrong token is answered with 401 ' +
  'before anything else is checked. Known paths answer other methods with 405 and `Allow`; every ' +
  'other path is 404.'

const ID = {
  name: 'kickoff_id',
  in: 'path',
  required: true,
  description: 'The id that the kickoff returned. Any other value names no execution.',
  schema: { type: 'string', format: 'uuid' },
}

const SCHEMAS = {
  Inputs: {
    type: 'object',
    properties: { inputs: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
    required: ['inputs'],
    additionalProperties: false,
  },
  Kickoff: {
    type: 'object',
    properties: { kickoff_id: { type: 'string', format: 'uuid' } },
    required: ['kickoff_id'],
    additionalProperties: false,
  },
  Resumed: {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
    additionalProperties: false,
  },
}

/** The control answers in its own format, in either dialect. */
const METHOD_NOT_ALLOWED = {
  ...refusal(405, 'The path does not allow this method.'),
  content: {
    'application/json': {
      schema: { anyOf: [ref('schemas', 'Error'), ref('schemas', 'ControlError')] },
    },
  },
}

/** Answers that every operation behind the token may give. */
const COMMON = {
  401: ref('responses', 'Unauthorized'),
  403: ref('responses', 'Forbidden'),
  500: ref('responses', 'ServerError'),
}

const FOR_NOW =
  'A limit, or a crew that is still starting, refuses the request for now. Or it is ' +
  'the other meaning of this status.'

/** Refusals that a later request may not get, by status. */
function forNow(
  { limits, waking = null }: OpenApiOptions,
  operation: OperationName,
): OpenApiObject {
  const limiting = limits.filter(({ operations }) => operations.includes(operation))
  const statuses: number[] = limiting.map(({ refusal: { status } }) => status)
  if (waking?.kind === 'refused') statuses.push(waking.status)
  const headers = { 'Retry-After': { schema: { type: 'string' } } }
  return Object.fromEntries(
    statuses.map((status) => [status, { ...refusal(status, FOR_NOW), headers }]),
  )
}

interface OpenApiOperation {
  operationId: string
  responses: OpenApiObject
  [key: string]: unknown
}

/**
 * Inputs that are not strings, and unknown fields, are accepted.
 */
function kickoffRequest(inputs: readonly string[]): OpenApiObject {
  const webhook = { type: ['string', 'null'], description: 'Pushes are sent there.' }
  return {
    type: 'object',
    properties: {
      inputs: {
        type: 'object',
        properties: Object.fromEntries(inputs.map((name) => [name, {}])),
        required: [...inputs],
      },
      meta: { type: ['object', 'null'] },
      taskWebhookUrl: webhook,
      stepWebhookUrl: webhook,
      crewWebhookUrl: webhook,
      webhooks: { type: ['object', 'null'], description: 'Events are streamed there.' },
    },
    required: inputs.length === 0 ? [] : ['inputs'],
  }
}

function resumeBody(dialect: DialectName): OpenApiObject {
  const { execution, task } = RESUME_FORMS[dialect === 'platform-2026-10' ? 'live' : 'documented']
  const id = { type: 'string' }
  return {
    type: 'object',
    properties: {
      [execution]: id,
      [task]: id,
      human_feedback: {},
      is_approve: { description: 'False: the task begins again.' },
    },
    required: [execution, task],
  }
}

/** GET, with its HEAD (the same answer without the body) and OPTIONS. */
function readable(get: OpenApiOperation, speech: DialectParts): OpenApiObject {
  const { operationId, responses } = get
  return {
    get,
    head: {
      tags: ['interface'],
      operationId: `${operationId}Head`,
      summary: 'The headers of GET',
      responses: Object.fromEntries(
        Object.keys(responses).map((status) => [status, emptyAnswer('As GET, without its body.')]),
      ),
    },
    options: optionsOperation(operationId, 'GET, HEAD, OPTIONS', speech),
  }
}

function optionsOperation(
  name: string,
  allow: string,
  { serverError }: DialectParts,
): OpenApiObject {
  const headers = { Allow: { schema: { type: 'string', const: allow } } }
  return {
    tags: ['interface'],
    operationId: `${name}Options`,
    summary: 'The methods of this path',
    responses: {
      204: emptyAnswer('In `Allow`.', headers),
      401: ref('responses', 'Unauthorized'),
      500: serverError,
    },
  }
}
