/** The headers that every request of a run carries, and which of the user's cannot be sent. */
import { UserError } from '../base/mistakes.ts'
import type { Mistake } from '../base/mistakes.ts'
import type { CrewRequest } from '../crew/crew-request.ts'

export interface HeaderOptions {
  /** Assigned to executions in rotation by index; empty sends no `authorization`. */
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
/**
 * RFC 9110, section 5.6.2: a token; and 5.5: a field value, here restricted to visible ASCII,
 * spaces and tabs.
 */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/**
 * One per token, in their order, or one without a token; the correlation id is added to each
 * request.
 */
export function headersByToken(
  options: HeaderOptions,
  method: CrewRequest['method'],
): Record<string, string>[] {
  const tokens = options.tokens.length === 0 ? [null] : options.tokens
  return tokens.map((token) => headersWith(token, options, method))
}

/** A `traceparent` of the user's own stays as it is. */
export function tracedShare({
  traces = 0,
  headers,
}: Pick<HeaderOptions, 'headers'> & { traces?: number }): number {
  return 'traceparent' in headers ? 0 : traces
}

/** Returns the one of `lists` that belongs to the request. */
export function dealt<T>(lists: readonly T[], { execution }: CrewRequest): T | undefined {
  return lists[Math.max(0, execution) % lists.length]
}

function headersWith(
  token: string | null,
  { headers, userAgent }: HeaderOptions,
  method: CrewRequest['method'],
): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...headers,
  }
}

/**
 * Throws UserError for headers and tokens that cannot be sent; the message does not repeat a token.
 */
export function demandSendable({ headers, tokens }: Omit<HeaderOptions, 'userAgent'>): void {
  const mistakes = [...headerMistakes(headers), ...tokenMistakes(tokens)]
  if (mistakes.length > 0) throw new UserError(mistakes)
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
