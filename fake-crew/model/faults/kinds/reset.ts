/** RST: before the first byte of the answer, in the middle of its body, or right after it. */
import { z } from 'zod'
import { unreachable } from '../../../../src/base/assert.ts'
import { utf8Length } from '../../../../src/base/utf8.ts'
import type { Content, Delivery } from '../../exchange.ts'
import { oneOf } from '../../schema/quantities.ts'
import { flag } from '../../schema/complete-form/quantities.ts'
import { AFTER_INPUTS, EVERY_OPERATION, defineFault, fitsProxy } from '../definition.ts'
import { NOT_DONE } from '../not-done.ts'
import { carriedOut } from '../parameters.ts'

const PLACES = ['before', 'during', 'after'] as const
type ResetPlace = (typeof PLACES)[number]

const UNDONE = {
  path: ['carriedOut'],
  error: 'expected true: only a reset before the answer can leave the operation undone',
}

export const reset = defineFault({
  kind: 'reset',
  description: 'The connection is reset (RST).',
  reach: EVERY_OPERATION,
  written: z
    .strictObject({
      at: oneOf(PLACES).meta({
        description: 'Before the answer, in the middle of its body, or right after it.',
      }),
      carriedOut: carriedOut(true),
    })
    .refine(isPossible, UNDONE),
  complete: z
    .strictObject({ kind: z.literal('reset'), at: oneOf(PLACES), carriedOut: flag })
    .refine(isPossible, UNDONE),
  effect: (what) => {
    const delivery = (content: Content): Delivery => deliveryAt(what.at, content)
    return what.carriedOut ? { delivery } : { instead: () => NOT_DONE, delivery }
  },
  proxyProblem: fitsProxy,
  examples: [
    { name: 'reset before', reset: { at: 'before' }, operations: AFTER_INPUTS, chance: '1%' },
    { name: 'reset during', reset: { at: 'during' }, operations: AFTER_INPUTS, chance: '1%' },
    { name: 'reset after', reset: { at: 'after' }, operations: AFTER_INPUTS, chance: '1%' },
  ],
})

function isPossible(what: { at: ResetPlace; carriedOut: boolean }): boolean {
  return what.carriedOut || what.at === 'before'
}

function deliveryAt(at: ResetPlace, { body }: Content): Delivery {
  switch (at) {
    case 'before':
      return { kind: 'nothing', ending: 'reset' }
    case 'during':
      return { kind: 'part', bytes: Math.floor(utf8Length(body ?? '') / 2), ending: 'reset' }
    case 'after':
      return { kind: 'whole-then-reset' }
    default:
      return unreachable(at)
  }
}
