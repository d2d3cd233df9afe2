/**
 * Readers: any answer, however malformed, becomes one observation. They never throw and are
 * lenient; the contract is strict.
 */
import type { Answer, WholeAnswer } from './answer.ts'
import { excerpt } from './excerpt.ts'
import { interfacePhase, platformPhase, readInterfaceBody, readPlatformBody } from './dialects.ts'
import { asObject, asTextOrJson, parseJson } from './json.ts'
import type { JsonObject, ParsedJson } from './json.ts'
import type {
  BodyFault,
  InputsObservation,
  KickoffObservation,
  ListedInput,
  Phase,
  StatusObservation,
} from './observation.ts'
import { readUsage } from './usage.ts'
import type { Dialect } from './wire.ts'

/**
 * Ids are opaque: the vendor's own example is not a valid UUID. Longer ones would not fit a request
 * line everywhere.
 */
export const MAX_ID_LENGTH = 256

const NO_TASKS: StatusObservation['tasks'] = []

export function readStatus(answer: Answer): StatusObservation {
  if (answer.kind === 'failure') return blank('no-answer', answer.class, undefined)
  const parsed = parsedBody(answer)
  const body = parsed.ok ? asObject(parsed.value) : undefined
  if (!isSuccess(answer.status)) return readError(answer.status, body)
  if (body !== undefined) return readStatusBody(answer.status, body)
  return blank('unreadable', parsed.ok ? 'wrong-shape' : parsed.fault, undefined)
}

export function readKickoff(answer: Answer): KickoffObservation {
  const seen: KickoffObservation = {
    code: answer.kind === 'failure' ? answer.class : answer.status,
    status: answer.status,
    dialect: null,
    body: undefined,
    kickoffId: null,
  }
  if (answer.kind === 'failure') return seen
  const parsed = parsedBody(answer)
  seen.body = parsed.ok ? asObject(parsed.value) : undefined
  seen.dialect = isSuccess(answer.status) ? null : errorDialect(seen.body)
  if (!isSuccess(answer.status)) return seen
  seen.kickoffId = usableId(seen.body?.['kickoff_id'])
  if (seen.kickoffId === null) seen.code = kickoffFault(parsed.ok ? seen.body : parsed.fault)
  return seen
}

/**
 * Reads `{"inputs":["topic"]}`; also accepts a bare list, and entries that are objects with a
 * `name` and possibly `required`.
 */
export function readInputs(answer: Answer): InputsObservation {
  if (answer.kind === 'failure') {
    return { code: answer.class, dialect: null, body: undefined, listed: null }
  }
  const parsed = parsedBody(answer)
  const body = parsed.ok ? parsed.value : undefined
  if (!isSuccess(answer.status)) {
    return { code: answer.status, dialect: errorDialect(asObject(body)), body, listed: null }
  }
  const listed = listedInputs(body)
  const fault: BodyFault = parsed.ok ? 'wrong-shape' : parsed.fault
  return { code: listed === null ? fault : answer.status, dialect: null, body, listed }
}

/** Reads `body` only when necessary: a host may build the text on demand. */
function parsedBody(answer: WholeAnswer): ParsedJson {
  const { json } = answer
  return json === undefined ? parseJson(answer.body) : { ok: true, value: json }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function blank(
  phase: Phase,
  code: StatusObservation['code'],
  body: JsonObject | undefined,
): StatusObservation {
  return {
    phase,
    code,
    dialect: null,
    body,
    task: null,
    completedTasks: null,
    totalTasks: null,
    output: null,
    tasks: NO_TASKS,
    executionTimeSeconds: null,
    usage: null,
    error: null,
    interned: false,
  }
}

function readError(status: number, body: JsonObject | undefined): StatusObservation {
  const seen = blank(errorPhase(status), status, body)
  seen.dialect = errorDialect(body)
  seen.error = asTextOrJson(body?.['message'] ?? body?.['detail'] ?? body?.['error'])
  return seen
}

function errorPhase(status: number): Phase {
  if (status === 401 || status === 403) return 'denied'
  if (status === 404) return 'not-found'
  if (status === 429) return 'limited'
  return status >= 500 ? 'server-error' : 'unexpected'
}

/** Error bodies identify the dialect: `error` and `message` (2.6), or `detail`. */
function errorDialect(body: JsonObject | undefined): Dialect | null {
  if (body === undefined) return null
  if (body['error'] !== undefined || body['message'] !== undefined) return 'interface'
  return body['detail'] === undefined ? null : 'platform'
}

/** If a body matches both dialects, `state` decides: it is what most clients read. */
function readStatusBody(status: number, body: JsonObject): StatusObservation {
  const fromState = platformPhase(body['state'])
  const fromStatus = interfacePhase(body['status'])
  const phase = fromState ?? fromStatus
  if (phase === undefined) return blank('unreadable', statusFault(body), body)
  const seen = blank(phase, status, body)
  seen.dialect = fromState === undefined ? 'interface' : 'platform'
  seen.usage = readUsage(body)
  if (fromState === undefined) readInterfaceBody(seen, body)
  else readPlatformBody(seen, body)
  if (fromState !== undefined && fromStatus !== undefined) seen.dialect = 'mixed'
  return seen
}

function statusFault(body: JsonObject): BodyFault {
  const word = body['state'] ?? body['status']
  if (word === undefined) return 'wrong-shape'
  return typeof word === 'string' ? 'unknown-state' : 'wrong-type'
}

/**
 * A string that can be a path segment, or a whole number converted to one; null for anything else.
 */
function usableId(value: unknown): string | null {
  const id = Number.isSafeInteger(value) ? String(value) : value
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH || id.trim() === '') return null
  return id === '.' || id === '..' || hasHalfPair(id) ? null : id
}

/** A lone surrogate is not a character and cannot be written in a URL. */
function hasHalfPair(text: string): boolean {
  try {
    encodeURIComponent(text)
    return false
  } catch {
    return true
  }
}

function kickoffFault(body: JsonObject | undefined | BodyFault): BodyFault {
  if (body === undefined) return 'wrong-shape'
  if (typeof body === 'string') return body
  const id = body['kickoff_id']
  return id === undefined || id === null || typeof id === 'string' ? 'no-id' : 'wrong-type'
}

function listedInputs(body: unknown): ListedInput[] | null {
  const list = Array.isArray(body) ? body : asObject(body)?.['inputs']
  if (!Array.isArray(list)) return null
  const listed = list.map(listedInput)
  return listed.every((input) => input !== null) ? listed : null
}

function listedInput(entry: unknown): ListedInput | null {
  const { name = entry, required } = asObject(entry) ?? {}
  if (typeof name !== 'string') return null
  return { name, required: typeof required === 'boolean' ? required : null }
}

/**
 * `HTTP 307 to /kickoff/`; undefined for an answer that is no redirect. A redirect is never
 * followed: the token would go there too.
 */
export function redirection({ status, headers }: WholeAnswer): string | undefined {
  if (status < 300 || status > 399) return undefined
  const { location } = headers
  return location === undefined ? `HTTP ${status}` : `HTTP ${status} to ${excerpt(location)}`
}
