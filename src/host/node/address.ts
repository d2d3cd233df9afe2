/** Where requests go and what every one of them carries: base URL, token, headers. */
import type { CrewRequest } from '../../crew/answer.ts'
import { UserError } from '../../mistakes.ts'
import type { Mistake } from '../../mistakes.ts'
import type { Proxy } from './proxy.ts'

export interface AddressOptions {
  target: URL
  proxy: Proxy | null
  /** Dealt round by execution index; empty sends no `authorization`. */
  tokens: readonly string[]
  /** Lower-case names; they replace those of crewload. */
  headers: Readonly<Record<string, string>>
  userAgent: string
}

/** Headers that belong to the connection, not to the request: HTTP itself sets them. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
])
/** RFC 9110, section 5.6.2: a token; and 5.5: a field value, here of visible ASCII, spaces and tabs. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

type HeaderList = readonly string[]

/** Throws UserError for headers and tokens that cannot be sent; a token is not repeated in the message. */
export class Address {
  /** Scheme, host and port of the target. */
  readonly origin: string
  readonly #prefix: string
  readonly #get: readonly HeaderList[]
  readonly #post: readonly HeaderList[]

  constructor(options: AddressOptions) {
    const mistakes = [...headerMistakes(options.headers), ...tokenMistakes(options.tokens)]
    if (mistakes.length > 0) throw new UserError(mistakes)
    this.origin = options.target.origin
    const path = options.target.pathname.replace(/\/+$/, '')
    const forwarder = options.target.protocol === 'http:' ? options.proxy : null
    this.#prefix = forwarder === null ? path : this.origin + path
    const proxyAuthorization = forwarder?.authorization ?? null
    const tokens = options.tokens.length === 0 ? [null] : options.tokens
    this.#get = tokens.map((token) => headerList(options, proxyAuthorization, token, 'GET'))
    this.#post = tokens.map((token) => headerList(options, proxyAuthorization, token, 'POST'))
  }

  /** As the request line has it: absolute when a proxy forwards the request (RFC 9112, section 3.2.2). */
  path(request: CrewRequest): string {
    return this.#prefix + request.path
  }

  /** Names and values in turn, as undici takes them. */
  headers(request: CrewRequest): string[] {
    const lists = request.method === 'GET' ? this.#get : this.#post
    const list = lists[Math.max(0, request.execution) % lists.length] ?? []
    return [...list, 'x-correlation-id', request.correlation]
  }
}

function headerList(
  options: AddressOptions,
  proxyAuthorization: string | null,
  token: string | null,
  method: CrewRequest['method'],
): HeaderList {
  return Object.entries({
    accept: 'application/json',
    'user-agent': options.userAgent,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...options.headers,
    ...(proxyAuthorization === null ? {} : { 'proxy-authorization': proxyAuthorization }),
  }).flat()
}

function headerMistakes(headers: Readonly<Record<string, string>>): Mistake[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const problem = headerProblem(name, value)
    return problem === null ? [] : [{ source: 'headers', path: name, problem }]
  })
}

function headerProblem(name: string, value: string): string | null {
  if (RESERVED_HEADERS.has(name.toLowerCase())) return 'HTTP itself sets this header'
  if (!HEADER_NAME.test(name)) return 'a header name is letters, digits and hyphens'
  return HEADER_VALUE.test(value) ? null : 'a header value is visible ASCII on one line'
}

function tokenMistakes(tokens: readonly string[]): Mistake[] {
  return tokens.flatMap((token, index) =>
    token !== '' && HEADER_VALUE.test(token)
      ? []
      : [
          {
            source: 'token',
            path: `${index + 1}`,
            problem: 'a token is visible ASCII on one line',
          },
        ],
  )
}
