/** Building blocks of the OpenAPI documents of both dialects. */
import type { Dialect } from '../../src/crew/wire.ts'

export interface OpenApiObject {
  [key: string]: unknown
}

/** The differences between the dialects. Its answers are keyed by status code. */
export interface DialectParts {
  dialect: Dialect
  schemas: OpenApiObject
  statusAnswers: OpenApiObject
  kickoffRefusals: OpenApiObject
  serverError: OpenApiObject
  refusal(status: number, description: string): OpenApiObject
}

/** `{ $ref: '#/components/schemas/Name' }` */
export function ref(kind: 'schemas' | 'responses', name: string): OpenApiObject {
  return { $ref: `#/components/${kind}/${name}` }
}

/** An object with exactly these fields, all required. */
export function exactly(properties: OpenApiObject): OpenApiObject {
  const required = Object.keys(properties)
  return { type: 'object', properties, required, additionalProperties: false }
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
export function refusalHeaders(status: number): OpenApiObject | undefined {
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
