/** Faults of how an answer reaches the client: cut, dripped, or never sent. */
import { z } from 'zod'
import { unreachable } from '../../../../src/base/assert.ts'
import { utf8Length } from '../../../../src/base/utf8.ts'
import type { Content, Delivery, Ending } from '../../exchange.ts'
import { count, duration, flag, lasting, oneOf, share } from '../../schema/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault } from '../definition.ts'
import type { Effect } from '../effect.ts'

/**
 * A placeholder for the answer to a request that is neither performed nor answered: none of it is
 * ever sent.
 */
const NOT_DONE: Content = { status: 500, headers: {}, body: null }

const carriedOut = flag
  .prefault(true)
  .meta({ description: 'Whether the operation is performed all the same.' })

/** Delivers the answer otherwise, after the operation or in its place. */
function delivered(isDone: boolean, delivery: (content: Content) => Delivery): Effect {
  return isDone ? { delivery } : { instead: () => NOT_DONE, delivery }
}

const PLACES = ['before', 'during', 'after'] as const

export const reset = defineFault({
  kind: 'reset',
  description: 'The connection is reset (RST).',
  reach: EVERY_OPERATION,
  written: z
    .strictObject({
      at: oneOf(PLACES).meta({
        description: 'Before the answer, in the middle of its body, or right after it.',
      }),
      carriedOut,
    })
    .refine((what) => what.carriedOut || what.at === 'before', {
      path: ['carriedOut'],
      error: 'expected true: only a reset before the answer can leave the operation undone',
    }),
  effect: (what) => delivered(what.carriedOut, (content) => resetAt(what.at, content)),
  examples: [
    { name: 'reset before', reset: { at: 'before' }, operations: AFTER_INPUTS, chance: '1%' },
    { name: 'reset during', reset: { at: 'during' }, operations: AFTER_INPUTS, chance: '1%' },
    { name: 'reset after', reset: { at: 'after' }, operations: AFTER_INPUTS, chance: '1%' },
  ],
})

function resetAt(at: (typeof PLACES)[number], content: Content): Delivery {
  switch (at) {
    case 'before':
      return { kind: 'nothing', ending: 'reset' }
    case 'during':
      return partOf(content, 0.5, 'reset')
    case 'after':
      return { kind: 'whole-then-reset' }
    default:
      return unreachable(at)
  }
}

function partOf({ body }: Content, part: number, ending: Ending): Delivery {
  return { kind: 'part', bytes: Math.floor(utf8Length(body ?? '') * part), ending }
}

/** No byte of the answer is sent. */
function unanswered(ending: Ending) {
  return {
    reach: EVERY_OPERATION,
    written: z.strictObject({ carriedOut }),
    effect: (what: { carriedOut: boolean }) =>
      delivered(what.carriedOut, () => ({ kind: 'nothing', ending })),
  }
}

export const empty = defineFault({
  kind: 'empty',
  description: 'The connection is closed (FIN) without a byte of the answer.',
  ...unanswered('close'),
  examples: [{ name: 'empty', empty: {}, operations: AFTER_INPUTS, chance: '1%' }],
})

export const hang = defineFault({
  kind: 'hang',
  description: 'The request is accepted and never answered.',
  ...unanswered('open'),
  examples: [{ name: 'hang', hang: {}, operations: AFTER_INPUTS, chance: '0.5%' }],
})

/** A share of the body is sent. */
function partial(ending: Ending) {
  return {
    reach: EVERY_OPERATION,
    written: z.strictObject({
      share: share
        .refine((part) => part < 1, { error: 'expected a share below 100%' })
        .prefault('50%'),
    }),
    effect: (what: { share: number }): Effect => ({
      delivery: (content) => partOf(content, what.share, ending),
    }),
  }
}

export const truncate = defineFault({
  kind: 'truncate',
  description: 'The connection is closed after this share of the body.',
  ...partial('close'),
  examples: [{ name: 'truncated', truncate: {}, operations: AFTER_INPUTS, chance: '1%' }],
})

export const stall = defineFault({
  kind: 'stall',
  description: 'Silence after this share of the body; the connection stays open.',
  ...partial('open'),
  examples: [{ name: 'stall', stall: {}, operations: ['status'], chance: '0.5%' }],
})

const MOST_PIECES = 10_000

export const drip = defineFault({
  kind: 'drip',
  description: 'The body arrives slowly, in pieces.',
  reach: EVERY_OPERATION,
  written: z
    .strictObject({
      pieces: count(1)
        .max(MOST_PIECES, { error: `expected at most ${MOST_PIECES} pieces` })
        .prefault(10),
      over: lasting.meta({ description: 'From the first byte to the last. Real time.' }),
    })
    .transform(({ pieces, over }) => ({ pieces, overMicros: over })),
  effect: (what) => ({ delivery: () => ({ kind: 'drip', ...what }) }),
  examples: [
    {
      name: 'drip',
      drip: { pieces: 5, over: '200ms' },
      operations: AFTER_INPUTS,
      chance: '1%',
    },
  ],
})

/** The stale-connection race: the crew closes just as the client writes its next request. */
export const closeIdle = defineFault({
  kind: 'closeIdle',
  description: 'An idle connection is closed just as the next request arrives on it.',
  reach: EVERY_OPERATION,
  written: z
    .strictObject({
      after: duration.meta({
        description: 'Strikes connections idle for at least this long. Real time.',
      }),
    })
    .transform(({ after }) => ({ afterMicros: after })),
  effect: ({ afterMicros }) => ({
    applies: ({ call }) => (call.request.idleMicros ?? -1) >= afterMicros,
    ...delivered(false, () => ({ kind: 'nothing', ending: 'close' })),
  }),
  examples: [
    {
      name: 'stale connection',
      closeIdle: { after: '100ms' },
      operations: AFTER_INPUTS,
      chance: '2%',
    },
  ],
})
