/** What the headers of an answer promise about limits, in any dialect. */
import { optionalMs } from '../../../../../base/units.ts'
import { plainNumber, secondsUntil } from '../../../../../crew/header-times.ts'
import type { FieldParameters } from '../../../../../crew/retry-after.ts'
import { isReadable, parametersIn, retryAfterMicros } from '../../../../../crew/retry-after.ts'
import type { LimitEvidence, LimiterAnswer } from '../interface.ts'

/** One limit, as one answer states it. */
export interface HeaderCount {
  /** The family of the fields that were read. */
  dialect: string
  /** The same limit has the same key in every answer: its name, or its numbers. */
  key: string
  limit: number
  /** Null where no field says it. */
  windowMs: number | null
  /** Requests that are left, after this one. */
  left: number | null
  /** Until more is left, or until all is: dialects differ. */
  resetMs: number | null
  /**
   * Whether that is said more exactly than in whole seconds. A point in time is not, however many
   * decimals it has: it counts from a `Date`, which has none.
   */
  isResetExact: boolean
  /** Whether it limits requests in flight. */
  isConcurrent: boolean
}

type Headers = LimiterAnswer['headers']

const SECOND = 1_000

/** What the last answer said about each limit that any answer named. */
export function policiesIn(evidence: LimitEvidence): HeaderCount[] {
  const last = new Map<string, HeaderCount>()
  for (const { headers } of evidence) {
    for (const count of countsIn(headers)) last.set(count.key, count)
  }
  return [...last.values()]
}

/** What one answer says of the limit with this key. */
export function countOf(headers: Headers, key: string): HeaderCount | undefined {
  return countsIn(headers).find((count) => count.key === key)
}

/** The wait that `Retry-After` asks for; null for none that can be read. */
export function retryAfterMs({ askedMs, headers }: Pick<LimiterAnswer, 'askedMs' | 'headers'>) {
  return askedMs ?? optionalMs(retryAfterMicros(headers))
}

/** Every limit that the headers of one answer tell; a policy without a quota is none. */
export function countsIn(headers: Headers): HeaderCount[] {
  const policies = itemsOf(headers['ratelimit-policy'])
  const lefts = itemsOf(headers['ratelimit'])
  const named = policies.flatMap((policy) => countsOfPolicy(policy, lefts, headers))
  if (named.length > 1 || named[0]?.left != null) return named
  return [countOfFields(headers), ...named].filter((count) => count !== null).slice(0, 1)
}

/** Dialects with a field for each number: limit, what is left, and when it is restored. */
const FIELDS = [
  ['RateLimit', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  ['X-RateLimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  [
    'X-RateLimit',
    'x-ratelimit-limit-requests',
    'x-ratelimit-remaining-requests',
    'x-ratelimit-reset-requests',
  ],
  [
    'Anthropic-RateLimit',
    'anthropic-ratelimit-requests-limit',
    'anthropic-ratelimit-requests-remaining',
    'anthropic-ratelimit-requests-reset',
  ],
] as const

function countOfFields(headers: Headers): HeaderCount | null {
  for (const [dialect, limitName, leftName, resetName] of FIELDS) {
    const limit = plainNumber(firstOf(headers[limitName]))
    if (limit === null) continue
    const windowMs = windowOf(headers, limit)
    const left = plainNumber(firstOf(headers[leftName]))
    return {
      dialect,
      key: keyOf(limit, windowMs),
      limit,
      windowMs,
      left,
      ...resetIn(headers[resetName], headers),
      isConcurrent: false,
    }
  }
  return null
}

/** The window of the policy with the same limit, for fields without a window. */
function windowOf(headers: Headers, limit: number): number | null {
  const policies = itemsOf(headers['ratelimit-policy'])
  const policy = policies.find(({ name, parameters }) => quotaOf(name, parameters) === limit)
  const seconds = plainNumber(policy?.parameters['w'])
  return seconds === null ? null : seconds * SECOND
}

/** `"default";q=100;w=60` of draft 8 and later, `100;w=60` of drafts before. */
function countsOfPolicy(
  { name, parameters }: Item,
  lefts: readonly Item[],
  headers: Headers,
): HeaderCount[] {
  const limit = quotaOf(name, parameters)
  if (limit === null) return []
  const seconds = plainNumber(parameters['w'])
  const windowMs = seconds === null ? null : seconds * SECOND
  const isNamed = 'q' in parameters
  const own = isNamed ? lefts.find((item) => item.name === name)?.parameters : joined(lefts)
  const left = plainNumber(own?.['r'] ?? own?.['remaining'])
  const reset = resetIn(own?.['t'] ?? own?.['reset'], headers)
  const isConcurrent = parameters['qu']?.includes('concurrent') === true
  const key = isNamed ? name : keyOf(limit, windowMs)
  return [{ dialect: 'RateLimit', key, limit, windowMs, left, ...reset, isConcurrent }]
}

function quotaOf(name: string, parameters: FieldParameters): number | null {
  return plainNumber(parameters['q'] ?? name)
}

function keyOf(limit: number, windowMs: number | null): string {
  return windowMs === null ? `${limit}` : `${limit} in ${windowMs}`
}

interface Item {
  name: string
  parameters: FieldParameters
}

/** The items of a list: `name;a=1;b=2, ...`, or `a=1, b=2`, where items have no name. */
function itemsOf(field: string | undefined): Item[] {
  if (!isReadable(field)) return []
  return field.split(',').map((item) => {
    const [first = '', ...others] = item.split(';')
    const isNamed = !first.includes('=')
    const parameters = parametersIn(isNamed ? others : [first, ...others])
    return { name: isNamed ? first.trim() : '', parameters }
  })
}

/** `limit=2, remaining=0, reset=60` of draft 7: one set of parameters. */
function joined(items: readonly Item[]): FieldParameters {
  return Object.assign({}, ...items.map(({ parameters }) => parameters)) as FieldParameters
}

function firstOf(field: string | undefined): string | undefined {
  return field?.split(/[,;]/, 1)[0]
}

function resetIn(
  text: string | undefined,
  { date }: Headers,
): Pick<HeaderCount, 'resetMs' | 'isResetExact'> {
  const seconds = text === undefined ? null : secondsUntil(text, { date })
  if (text === undefined || seconds === null) return { resetMs: null, isResetExact: false }
  const isPoint = secondsUntil(text, {}) !== seconds
  return { resetMs: seconds * SECOND, isResetExact: !isPoint && !Number.isInteger(seconds) }
}
