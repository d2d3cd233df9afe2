/**
 * Holds an answer against an OpenAPI document: is its status listed, are its headers there, is its
 * body of the type and shape promised?
 */
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { PlainAnswer, PlainRequest } from './http.ts'

interface Response {
  $ref?: string
  content?: Record<string, { schema: object }>
  headers?: Record<string, { required?: boolean; schema: object }>
}

interface Operation {
  operationId: string
  responses: Record<string, Response>
  tags?: string[]
  security?: Record<string, unknown>[]
}

type PathItem = Partial<Record<(typeof METHODS)[number], Operation>> & {
  parameters?: { name: string; in: string }[]
}

/** As far as these tests read it. */
export interface OpenApi {
  openapi: string
  tags: { name: string }[]
  security: Record<string, unknown>[]
  paths: Record<string, PathItem>
  components: {
    schemas: Record<string, object>
    responses: Record<string, Response>
    securitySchemes: Record<string, object>
  }
}

/** The document as its readers get it: what JSON keeps of it. */
export function asServed(document: object): OpenApi {
  return JSON.parse(JSON.stringify(document)) as OpenApi
}

export const METHODS = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
] as const

/** Sentences on what is wrong with an answer; none when it keeps the document. */
export type Judge = (asked: PlainRequest, answer: PlainAnswer) => string[]

export function judgeOf(document: OpenApi): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const faultsOf = (pointer: string, value: unknown): string[] => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    compiled.set(pointer, validate)
    return validate(value) ? [] : [ajv.errorsText(validate.errors)]
  }
  return (asked, answer) => {
    const found = responseFor(document, asked, answer.status)
    if (found === undefined) return [`${asked.method} ${asked.path}: ${answer.status} not listed`]
    return [
      ...headerFaults(found.response, answer),
      ...bodyFaults(found, answer, asked.method, faultsOf),
    ]
  }
}

interface Found {
  response: Response
  pointer: string
}

/** The operation's own answer, or the one that stands for other methods and other paths. */
function responseFor(document: OpenApi, asked: PlainRequest, status: number): Found | undefined {
  const path = templateOf(document, asked.path)
  const method = METHODS.find((known) => known === asked.method.toLowerCase())
  const item = path === undefined ? undefined : document.paths[path]
  const operation = method === undefined ? undefined : item?.[method]
  if (operation !== undefined) {
    const pointer = `/paths/${escape(path ?? '')}/${method}/responses/${status}`
    return resolve(document, operation.responses[status], pointer)
  }
  const other = item === undefined ? 'PathNotFound' : 'MethodNotAllowed'
  const expected = item === undefined ? 404 : 405
  const name = status === 401 ? 'Unauthorized' : status === expected ? other : ''
  return resolve(document, document.components.responses[name], `/components/responses/${name}`)
}

function resolve(
  document: OpenApi,
  response: Response | undefined,
  pointer: string,
): Found | undefined {
  if (response?.$ref === undefined) return response && { response, pointer }
  const name = response.$ref.replace('#/components/responses/', '')
  const shared = document.components.responses[name]
  return shared && { response: shared, pointer: `/components/responses/${name}` }
}

function templateOf(document: OpenApi, target: string): string | undefined {
  const path = target.replace(/\?.*$/, '')
  return Object.keys(document.paths).find((template) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
  )
}

function headerFaults({ headers = {} }: Response, answer: PlainAnswer): string[] {
  return Object.entries(headers)
    .filter(([name, { required }]) => required && answer.headers[name.toLowerCase()] === undefined)
    .map(([name]) => `${answer.status} without ${name}`)
}

function bodyFaults(
  { response, pointer }: Found,
  answer: PlainAnswer,
  method: string,
  faultsOf: (pointer: string, value: unknown) => string[],
): string[] {
  if (method === 'HEAD' || response.content === undefined) {
    return answer.body === '' ? [] : [`${answer.status} with a body`]
  }
  const [type = ''] = String(answer.headers['content-type'] ?? '').split(';')
  if (!(type in response.content)) return [`content type "${type}" is not listed`]
  const schema = `${pointer}/content/${escape(type)}/schema`
  return faultsOf(schema, type === 'application/json' ? parse(answer.body) : answer.body)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function escape(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}
