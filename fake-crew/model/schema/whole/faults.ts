/** Faults of a profile in its complete form: what goes wrong, in which requests, and when. */
import { z } from 'zod'
import type { Fault, FaultKindName, FaultTime, FaultWhat } from '../../faults/fault.ts'
import { REACH } from '../../faults/fault.ts'
import { checkNames } from '../fault.ts'
import { headers } from '../fault-kinds.ts'
import { oneOf } from '../quantities.ts'
import { operations } from './limits.ts'
import { distribution, flag, lasting, listOf, micros, orNull } from './quantities.ts'
import { share, whole, word } from './quantities.ts'

const time = distribution(micros)
const carriedOut = flag
const partOfBody = share.refine((part) => part < 1, { error: 'expected a share below 1' })
const CODE = 'expected a status code from 200 to 599'
const skew = z
  .number({ error: 'expected microseconds, not 0' })
  .refine((by) => by !== 0, { error: 'expected microseconds, not 0' })

function kind<Name extends FaultKindName, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return z.strictObject({ kind: z.literal(name), ...shape })
}

const whats = {
  status: kind('status', {
    code: z.int({ error: CODE }).min(200, { error: CODE }).max(599, { error: CODE }),
    body: orNull(z.string(), 'a text'),
    headers,
    carriedOut,
  }),
  latency: kind('latency', { delay: time }),
  reset: kind('reset', { at: oneOf(['before', 'during', 'after']), carriedOut }).refine(
    ({ at, carriedOut: done }) => done || at === 'before',
    {
      path: ['carriedOut'],
      error: 'expected true: only a reset before the answer can leave the operation undone',
    },
  ),
  empty: kind('empty', { carriedOut }),
  truncate: kind('truncate', { share: partOfBody }),
  malformed: kind('malformed', {}),
  contentType: kind('contentType', {
    type: word('a content type').regex(/^[\t\x20-\x7e]*$/, { error: 'expected a content type' }),
  }),
  drip: kind('drip', {
    pieces: whole(1).max(10_000, { error: 'expected at most 10000 pieces' }),
    overMicros: lasting,
  }),
  hang: kind('hang', { carriedOut }),
  stall: kind('stall', { share: partOfBody }),
  refuse: kind('refuse', {}),
  closeIdle: kind('closeIdle', { afterMicros: micros }),
  notFound: kind('notFound', { for: time }),
  stuck: kind('stuck', {}),
  backwards: kind('backwards', { tasks: whole(1) }),
  flip: kind('flip', { to: oneOf(['running', 'failed']) }),
  noResult: kind('noResult', {}),
  swap: kind('swap', {}),
  neverStarts: kind('neverStarts', {}),
  wrongId: kind('wrongId', { of: oneOf(['nobody', 'another']) }),
  restart: kind('restart', { loses: oneOf(['all', 'running', 'none']) }),
  denied: kind('denied', {
    why: oneOf(['revoked', 'expired']),
    token: oneOf(['organization', 'user', 'any']),
  }),
  clockSkew: kind('clockSkew', { byMicros: skew }),
} satisfies { [Kind in FaultKindName]: z.ZodType<FaultWhat & { kind: Kind }> }

const { status, ...others } = whats
const what: z.ZodType<FaultWhat> = z.discriminatedUnion(
  'kind',
  [status, ...Object.values(others)],
  {
    error: `expected a kind: ${Object.keys(whats).join(', ')}`,
  },
)

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
          error: 'expected more than the time that it is on',
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
  const reach = REACH[name]
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
  if (name !== 'refuse' || ends) return
  mistake('time', 'expected an end: nobody could clear it while connections are refused')
}

export const wholeFaults = listOf(fault, 'faults').superRefine(checkNames, {
  when: ({ value }) => Array.isArray(value),
})
