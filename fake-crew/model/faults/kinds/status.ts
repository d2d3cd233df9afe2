/**
 * A different answer from the crew's: any status code, any body. With `carriedOut`, the operation
 * is performed in spite of the error.
 */
import { z } from 'zod'
import type { Content } from '../../exchange.ts'
import { jsonContent } from '../../exchange.ts'
import { PHRASES } from '../../refusal.ts'
import { flag } from '../../schema/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, printable } from '../definition.ts'
import type { FaultStage } from '../effect.ts'

const CODE = { error: 'expected a status code from 200 to 599' }
const NOT_A_NAME = 'not a header name: expected letters, digits and hyphens'
const HEADERS = {
  error: ({ code: wrong }: { code?: string }) =>
    wrong === 'invalid_key' ? NOT_A_NAME : 'expected an object of header values by name',
}
const VALUE = { error: 'expected a printable text as the value: write a number in quotes' }

const code = z.int(CODE).min(200, CODE).max(599, CODE)

const headers = z
  .record(
    // Names are case-insensitive (RFC 9110, section 5.1).
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
      .toLowerCase(),
    z.string(VALUE).regex(printable, VALUE),
    HEADERS,
  )
  .prefault({})

const written = z
  .strictObject({
    code,
    body: z.string({ error: 'expected a text' }).exactOptional(),
    headers,
    carriedOut: flag
      .prefault(false)
      .meta({ description: 'Whether the operation is performed all the same.' }),
  })
  // Null: the dialect's own text.
  .transform(({ body, ...rest }) => ({ ...rest, body: body ?? null }))

type StatusFault = z.output<typeof written>

export const status = defineFault({
  kind: 'status',
  description: "A different answer. Default body: an error in the dialect's format.",
  reach: EVERY_OPERATION,
  written,
  atSpeed: (what, speed) => ({ ...what, headers: onWallTime(what.headers, speed) }),
  effect: (what) => {
    if (what.carriedOut) return { content: (_, { stage }) => contentOf(what, stage) }
    return { instead: ({ stage }) => contentOf(what, stage) }
  },
  examples: [
    { name: 'server error', status: { code: 500 }, operations: AFTER_INPUTS, chance: '2%' },
    { name: 'unavailable', status: { code: 503 }, operations: AFTER_INPUTS, chance: '2%' },
    {
      name: 'teapot',
      status: { code: 418, body: 'short and stout' },
      operations: ['status'],
      chance: '1%',
    },
    {
      name: 'hidden start',
      status: { code: 500, carriedOut: true },
      operations: ['kickoff'],
      chance: '2%',
    },
  ],
})

/**
 * Statuses that never have a body, whatever the profile says (RFC 9110, sections 15.3.5, 15.3.6 and
 * 15.4.5).
 */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

function contentOf({ code, body, headers }: StatusFault, { dialect }: FaultStage): Content {
  if (WITHOUT_BODY.has(code)) return { status: code, headers, body: null }
  if (body !== null) {
    return { status: code, headers: { 'content-type': typeOf(body), ...headers }, body }
  }
  const phrase = (PHRASES as Readonly<Record<number, string>>)[code] ?? `HTTP ${code}`
  const error = { error: phrase, message: 'A fault of the fake crew' }
  return jsonContent(code, dialect === 'interface' ? error : { detail: phrase }, headers)
}

/** `Retry-After` in seconds is in the crew's time, like all its durations. */
function onWallTime(headers: StatusFault['headers'], speed: number): StatusFault['headers'] {
  const scaled = Object.entries(headers).map(([name, value]) => {
    const isWait = name.toLowerCase() === 'retry-after' && /^\d+$/.test(value)
    return [name, isWait ? String(Math.ceil(Number(value) / speed)) : value]
  })
  return Object.fromEntries(scaled) as StatusFault['headers']
}

function typeOf(body: string): string {
  if (/^\s*[[{]/.test(body)) return 'application/json; charset=utf-8'
  return /^\s*</.test(body) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
}
