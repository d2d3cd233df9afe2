/** Faults of a profile in its complete form: what goes wrong, in which requests, and when. */
import { z } from 'zod'
import type { Fault, FaultTime } from '../../faults/fault.ts'
import type { FaultWhat } from '../../faults/kinds/list.ts'
import { FAULT_KINDS, FAULT_KIND_NAMES, definitionOf } from '../../faults/kinds/list.ts'
import { checkNames } from '../fault.ts'
import { operations } from './limits.ts'
import { distribution, lasting, listOf, micros, orNull } from './quantities.ts'
import { share, whole, word } from './quantities.ts'

const time = distribution(micros)
const [first, ...others] = FAULT_KIND_NAMES.map((kind) => FAULT_KINDS[kind].complete)

const what: z.ZodType<FaultWhat> = z.discriminatedUnion('kind', [first!, ...others], {
  error: `expected a kind: ${FAULT_KIND_NAMES.join(', ')}`,
})

const faultTime: z.ZodType<FaultTime | null> = z.union([
  z.null(),
  z.discriminatedUnion(
    'kind',
    [
      z
        .strictObject({
          kind: z.literal('window'),
          fromMicros: micros,
          forMicros: orNull(lasting, 'microseconds above 0'),
          everyMicros: orNull(lasting, 'microseconds above 0'),
        })
        .refine(({ forMicros, everyMicros }) => (forMicros ?? 0) < (everyMicros ?? Infinity), {
          path: ['everyMicros'],
          error: 'expected more than the time for which it is on',
        }),
      z.strictObject({ kind: z.literal('episodes'), off: time, on: time }),
    ],
    { error: 'expected a kind: window or episodes' },
  ),
])

const fault: z.ZodType<Fault> = z
  .strictObject({
    name: word('a name'),
    what,
    operations: z.union([operations, z.null()]),
    time: faultTime,
    first: orNull(whole(1), 'a whole number from 1'),
    nth: whole(1),
    chance: share,
    seed: orNull(whole(0), 'a whole number from 0'),
  })
  .superRefine(checkReach)

function checkReach(each: Fault, context: z.RefinementCtx): void {
  const mistake = (path: keyof Fault, message: string): void => {
    context.addIssue({ code: 'custom', path: [path], message })
  }
  const { kind: name } = each.what
  const { reach, mustEnd = false } = definitionOf(each.what)
  if (reach !== 'connections') {
    const isWithin = (each.operations ?? []).every((operation) => reach.includes(operation))
    const within = `expected operations that ${name} can strike: ${reach.join(', ')}`
    if (!isWithin) mistake('operations', within)
    return
  }
  const nothing = `nothing here: ${name} strikes connections, not requests`
  if (each.operations !== null) mistake('operations', `expected null, ${nothing}`)
  if (each.first !== null) mistake('first', `expected null, ${nothing}`)
  if (each.nth !== 1) mistake('nth', `expected 1, ${nothing}`)
  if (each.chance !== 1) mistake('chance', `expected 1, ${nothing}`)
  const ends = each.time?.kind === 'episodes' || (each.time?.forMicros ?? null) !== null
  if (!mustEnd || ends) return
  mistake('time', 'expected an end: while connections are refused, nobody could clear it')
}

export const completeFaults = listOf(fault, 'faults').superRefine(checkNames, {
  when: ({ value }) => Array.isArray(value),
})
