/** What the headers of an answer promise about its limit, in any dialect. */
import { plainNumber } from '../../../../../crew/reset.ts'
import type { Evidence, Observed } from '../interface.ts'

export interface Promised {
  /** The family of the fields that were read. */
  dialect: string
  limit: number
  /** Null where no field tells. */
  windowMs: number | null
}

type Headers = Observed['headers']

const SECOND = 1_000

/** Of the last answer that promises anything; null when none does. */
export function promiseIn(evidence: Evidence): Promised | null {
  for (let i = evidence.length - 1; i >= 0; i--) {
    const promised = promiseOf(evidence[i]!.headers)
    if (promised !== null) return promised
  }
  return null
}

/** The first limit of a list is read; a policy without a quota is none. */
function promiseOf(headers: Headers): Promised | null {
  const policy = policyOf(headers['ratelimit-policy'])
  if (policy !== null) return policy
  for (const [dialect, name] of LIMIT_FIELDS) {
    const limit = plainNumber(headers[name])
    if (limit !== null) return { dialect, limit, windowMs: null }
  }
  return null
}

/** Fields that tell a limit and no window. */
const LIMIT_FIELDS = [
  ['RateLimit', 'ratelimit-limit'],
  ['X-RateLimit', 'x-ratelimit-limit'],
  ['X-RateLimit', 'x-ratelimit-limit-requests'],
  ['Anthropic-RateLimit', 'anthropic-ratelimit-requests-limit'],
] as const

/** `"default";q=100;w=60` of draft 8 and later, `100;w=60` of drafts before. */
function policyOf(field: string | undefined): Promised | null {
  const [item] = field?.split(',', 1) ?? []
  if (item === undefined) return null
  const [first = '', ...rest] = item.split(';').map((part) => part.trim())
  const parameters = new Map(
    rest.map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=', 2)
      return [name, value]
    }),
  )
  const limit = plainNumber(parameters.get('q') ?? first)
  const seconds = plainNumber(parameters.get('w'))
  if (limit === null) return null
  return { dialect: 'RateLimit', limit, windowMs: seconds === null ? null : seconds * SECOND }
}
