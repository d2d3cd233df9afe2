/** Reads the bodies of `POST /kickoff` and `POST /resume`, and builds the answer to a kickoff. */
import { isObject } from '../../src/crew/json.ts'
import type { Content, FakeRequest } from './exchange.ts'
import { jsonTextContent } from './exchange.ts'
import { isLonger } from '../../src/base/utf8.ts'
import type { Refusal } from './refusal.ts'
import type { DialectName } from '../../src/crew/wire.ts'
import type { ResumeForm } from '../../src/crew/crew-request.ts'
import { RESUME_FORMS } from '../../src/crew/crew-request.ts'
import { parsedJson } from '../../src/base/text.ts'

export type KickoffBody = { kind: 'kickoff'; body: string } | Refusal

/** What of a profile a kickoff has to meet. */
interface KickoffTerms {
  /** Names of the inputs that it must contain. */
  inputs: readonly string[]
  /** Those of them that it may lack. */
  optionalInputs?: readonly string[]
  limits: { bodyBytes: number }
  dialect?: DialectName
}

const JSON_TYPE = /^application\/(json|[\w.!#$&^-]+\+json)\s*(;|$)/i

/**
 * Maximum nesting of objects and lists. Answers echo inputs, and the JSON writer has a finite
 * stack.
 */
const MOST_LEVELS = 64

const WEBHOOKS = ['taskWebhookUrl', 'stepWebhookUrl', 'crewWebhookUrl']

/**
 * Unknown fields, null URLs and inputs that are not strings are accepted, as live deployments do. A
 * body without `inputs` is missing all of them; a missing content type is taken as JSON.
 */
export function readKickoffBody(request: FakeRequest, terms: KickoffTerms): KickoffBody {
  // A crew that needs no input starts without a body too, since 2026-10.
  const isBare = terms.dialect === 'platform-2026-10' && (request.body ?? '') === ''
  const read = isBare ? { kind: 'object' as const, value: {} } : readObject(request, terms.limits)
  if (read.kind !== 'object') return read
  const { value } = read
  const problem = optionalProblem(value)
  if (problem !== null) return wrongShape(problem)
  const inputs = inputsIn(value)
  if (!isObject(inputs)) return wrongShape('"inputs" must be an object')
  const { optionalInputs = [] } = terms
  const names = terms.inputs.filter(
    (name) => !Object.hasOwn(inputs, name) && !optionalInputs.includes(name),
  )
  if (names.length > 0) return { kind: 'missing-inputs', names }
  return { kind: 'kickoff', body: isBare ? '{}' : request.body! }
}

/** The JSON object that the body is, or why it cannot be read. */
function readObject(
  request: FakeRequest,
  { bodyBytes: limitBytes }: KickoffTerms['limits'],
): { kind: 'object'; value: Record<string, unknown> } | Refusal {
  const body = request.body ?? ''
  if (request.oversize === true || isLonger(body, limitBytes)) {
    return { kind: 'too-large', limitBytes }
  }
  if (!isReadableType(request.headers)) return { kind: 'unsupported-media-type' }
  const value = parsedJson(body)
  if (value === undefined) return { kind: 'not-json' }
  if (!isObject(value)) return wrongShape('The body must be a JSON object')
  if (isDeeper(value, MOST_LEVELS)) return { kind: 'too-deep', levels: MOST_LEVELS }
  return { kind: 'object', value }
}

/** What `POST /resume` answers about a task of an execution. */
export interface ResumeBody {
  kind: 'resume'
  kickoffId: string
  taskId: string
  approved: boolean
  /** The body, which names the webhooks from now on. */
  body: string
}

/** Live deployments accept almost anything beside the two ids; only `false` refuses. */
export function readResumeBody(
  request: FakeRequest,
  { limits, form }: Pick<KickoffTerms, 'limits'> & { form: ResumeForm },
): ResumeBody | Refusal {
  const read = readObject(request, limits)
  if (read.kind !== 'object') return read
  const { value } = read
  const names = RESUME_FORMS[form]
  const [kickoffId, taskId] = [value[names.execution], value[names.task]]
  if (typeof kickoffId !== 'string' || typeof taskId !== 'string') {
    const missing = Object.values(names).filter((name) => typeof value[name] !== 'string')
    return { kind: 'missing-members', names: missing }
  }
  const approved = value['is_approve'] !== false
  return { kind: 'resume', kickoffId, taskId, approved, body: request.body! }
}

/** The kickoff is accepted. The id contains nothing that JSON would have to escape. */
export function kickoffContent(kickoffId: string): Content {
  return jsonTextContent(200, `{"kickoff_id":"${kickoffId}"}`)
}

/** The inputs of a body that was already validated. */
export function inputsOf(body: string): Record<string, unknown> {
  return inputsIn(JSON.parse(body) as Record<string, unknown>) as Record<string, unknown>
}

/** What stands beside the inputs; undefined for nothing. Credentials of webhooks are left out. */
export function membersOf(body: string): Record<string, unknown> | undefined {
  const { inputs: _, ...members } = JSON.parse(body) as Record<string, unknown>
  if (Object.keys(members).length === 0) return undefined
  return JSON.parse(JSON.stringify(members, withoutToken)) as Record<string, unknown>
}

function withoutToken(key: string, value: unknown): unknown {
  return key === 'token' && typeof value === 'string' ? '***' : value
}

function inputsIn(body: Readonly<Record<string, unknown>>): unknown {
  return body['inputs'] ?? {}
}

function isReadableType(headers: FakeRequest['headers']): boolean {
  const type = headers['content-type'] ?? 'application/json'
  const encoding = headers['content-encoding'] ?? 'identity'
  return JSON_TYPE.test(type) && encoding.toLowerCase() === 'identity'
}

/** At most `levels` calls are on the stack. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true
  return Object.values(value).some((inner) => isNested(inner) && isDeeper(inner, levels - 1))
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** What is wrong with a field that may be missing or null; null if nothing is. */
function optionalProblem(body: Readonly<Record<string, unknown>>): string | null {
  const webhook = WEBHOOKS.find((name) => typeof (body[name] ?? '') !== 'string')
  if (webhook !== undefined) return `"${webhook}" must be a string or null`
  return isObject(body['meta'] ?? {}) ? null : '"meta" must be an object or null'
}

function wrongShape(problem: string): Refusal {
  return { kind: 'wrong-shape', problem }
}
