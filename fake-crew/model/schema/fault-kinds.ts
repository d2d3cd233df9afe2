/** The kinds of faults and their parameters: a fault names exactly one of these keys. */
import { z } from 'zod'
import type { FaultKindName, FaultWhat } from '../faults/fault.ts'
import { distribution } from './distribution.ts'
import { count, duration, oneOf, share, text } from './quantities.ts'

const NONE = 'expected {}: this kind has no parameters'
const HEADERS_HELP = 'expected header names with printable texts'

const time = distribution(duration, 'a duration')
const lasting = duration.refine((micros) => micros > 0, { error: 'expected a duration above 0' })
const partOfBody = share.refine((part) => part < 1, { error: 'expected a share below 100%' })
const printable = /^[\t\x20-\x7e]*$/

const carriedOut = z.boolean({ error: 'expected true or false' })
const DONE = 'Whether the operation is done all the same.'

export const headers = z
  .record(
    z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, { error: HEADERS_HELP }),
    z.string({ error: HEADERS_HELP }).regex(printable, { error: HEADERS_HELP }),
    { error: HEADERS_HELP },
  )
  .prefault({})

function bare(what: FaultWhat, description: string) {
  return z
    .strictObject({}, { error: NONE })
    .transform((): FaultWhat => what)
    .meta({ description })
    .exactOptional()
}

/** One key for each kind; each gives what the model reads. */
export const FAULT_KINDS = {
  status: z
    .strictObject({
      code: z
        .int({ error: 'expected a status code from 200 to 599' })
        .min(200, { error: 'expected a status code from 200 to 599' })
        .max(599, { error: 'expected a status code from 200 to 599' }),
      body: z.string({ error: 'expected a text' }).exactOptional(),
      headers,
      carriedOut: carriedOut.prefault(false).meta({ description: DONE }),
    })
    .transform(({ body, ...rest }): FaultWhat => ({ kind: 'status', ...rest, body: body ?? null }))
    .meta({ description: "Another answer. Default body: an error in the dialect's words." })
    .exactOptional(),
  latency: time
    .transform((delay): FaultWhat => ({ kind: 'latency', delay }))
    .meta({ description: 'Added to the answer. Real time: speed leaves it alone.' })
    .exactOptional(),
  reset: z
    .strictObject({
      at: oneOf(['before', 'during', 'after']).meta({
        description: 'Before the answer, in the middle of its body, or right behind it.',
      }),
      carriedOut: carriedOut.prefault(true).meta({ description: DONE }),
    })
    .refine(({ at, carriedOut: done }) => done || at === 'before', {
      path: ['carriedOut'],
      error: 'expected true: only a reset before the answer can leave the operation undone',
    })
    .transform((params): FaultWhat => ({ kind: 'reset', ...params }))
    .meta({ description: 'The connection is reset (RST).' })
    .exactOptional(),
  empty: z
    .strictObject({ carriedOut: carriedOut.prefault(true).meta({ description: DONE }) })
    .transform((params): FaultWhat => ({ kind: 'empty', ...params }))
    .meta({ description: 'The connection is closed (FIN) without a byte of the answer.' })
    .exactOptional(),
  truncate: z
    .strictObject({ share: partOfBody.prefault('50%') })
    .transform((params): FaultWhat => ({ kind: 'truncate', ...params }))
    .meta({ description: 'The connection is closed after this share of the body.' })
    .exactOptional(),
  malformed: bare({ kind: 'malformed' }, 'A whole answer whose body is no JSON.'),
  contentType: text('a content type')
    .refine((type) => printable.test(type), { error: 'expected a content type' })
    .transform((type): FaultWhat => ({ kind: 'contentType', type }))
    .meta({ description: 'The right body under this content type.' })
    .exactOptional(),
  drip: z
    .strictObject({
      pieces: count(1).max(10_000, { error: 'expected at most 10000 pieces' }).prefault(10),
      over: lasting.meta({ description: 'From the first byte to the last. Real time.' }),
    })
    .transform(({ pieces, over }): FaultWhat => ({ kind: 'drip', pieces, overMicros: over }))
    .meta({ description: 'The body comes slowly, in pieces.' })
    .exactOptional(),
  hang: z
    .strictObject({ carriedOut: carriedOut.prefault(true).meta({ description: DONE }) })
    .transform((params): FaultWhat => ({ kind: 'hang', ...params }))
    .meta({ description: 'The request is taken and never answered.' })
    .exactOptional(),
  stall: z
    .strictObject({ share: partOfBody.prefault('50%') })
    .transform((params): FaultWhat => ({ kind: 'stall', ...params }))
    .meta({ description: 'Silence after this share of the body; the connection stays open.' })
    .exactOptional(),
  refuse: bare({ kind: 'refuse' }, 'New connections are refused; open ones go on.'),
  closeIdle: z
    .strictObject({
      after: duration.meta({ description: 'Of connections idle for so long. Real time.' }),
    })
    .transform(({ after }): FaultWhat => ({ kind: 'closeIdle', afterMicros: after }))
    .meta({ description: 'An idle connection is closed just as the next request comes on it.' })
    .exactOptional(),
  notFound: z
    .strictObject({ for: time.meta({ description: 'From the kickoff on.' }) })
    .transform((params): FaultWhat => ({ kind: 'notFound', ...params }))
    .meta({ description: 'The execution cannot be found for so long after its kickoff.' })
    .exactOptional(),
  stuck: bare({ kind: 'stuck' }, 'The execution never ends, and holds its worker.'),
  backwards: z
    .strictObject({ tasks: count(1).prefault(1) })
    .transform((params): FaultWhat => ({ kind: 'backwards', ...params }))
    .meta({ description: 'Progress that tells so many tasks fewer than are completed.' })
    .exactOptional(),
  flip: z
    .strictObject({ to: oneOf(['running', 'failed']).prefault('running') })
    .transform((params): FaultWhat => ({ kind: 'flip', ...params }))
    .meta({ description: 'An end that was told before becomes another state.' })
    .exactOptional(),
  noResult: bare({ kind: 'noResult' }, 'Completed without a result.'),
  swap: bare({ kind: 'swap' }, 'Completed with the result of an execution before it.'),
  neverStarts: bare({ kind: 'neverStarts' }, 'A kickoff is told an id, and nothing starts.'),
  wrongId: z
    .strictObject({ of: oneOf(['nobody', 'another']).prefault('nobody') })
    .transform((params): FaultWhat => ({ kind: 'wrongId', ...params }))
    .meta({ description: 'A kickoff starts, and is told an id that is not its own.' })
    .exactOptional(),
  restart: z
    .strictObject({
      loses: oneOf(['all', 'running', 'none']).meta({
        description: 'All executions, those that have not ended, or none.',
      }),
    })
    .transform((params): FaultWhat => ({ kind: 'restart', ...params }))
    .meta({
      description: 'Connections are cut, and refused while it is on; without "for" it is quick.',
    })
    .exactOptional(),
  denied: z
    .strictObject({
      why: oneOf(['revoked', 'expired']).prefault('revoked'),
      token: oneOf(['organization', 'user', 'any']).prefault('any'),
    })
    .transform((params): FaultWhat => ({ kind: 'denied', ...params }))
    .meta({ description: 'The token is good no more: 401.' })
    .exactOptional(),
  clockSkew: z
    .strictObject({ ahead: lasting.exactOptional(), behind: lasting.exactOptional() })
    .refine(({ ahead, behind }) => (ahead === undefined) !== (behind === undefined), {
      error: 'expected either ahead or behind',
    })
    .transform(({ ahead = 0, behind = 0 }): FaultWhat => ({
      kind: 'clockSkew',
      byMicros: ahead - behind,
    }))
    .meta({ description: "The crew's wall clock is wrong, in every time of day that it tells." })
    .exactOptional(),
} satisfies Record<FaultKindName, z.ZodType<FaultWhat | undefined>>
