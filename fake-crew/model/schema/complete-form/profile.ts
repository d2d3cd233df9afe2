/**
 * The profile in its complete form, as the model reads it, `GET /__fake__/profile` returns it and a
 * program passes it: every key, numbers in fixed units, no defaults.
 */
import { z } from 'zod'
import type { CapacityProfile, ColdStartProfile, Profile } from '../../profile.ts'
import { WAKING_STATUSES } from '../../refusal.ts'
import { quotaComplete } from '../../work/shared/quota.ts'
import { scalingComplete } from '../../work/shared/scaling.ts'
import { slowdownComplete } from '../../work/shared/slowdown.ts'
import { tokensComplete } from '../../work/shared/tokens.ts'
import { checkTaskIds } from '../profile.ts'
import { oneOf } from '../quantities.ts'
import { completeFaults } from './faults.ts'
import { completeLimits } from './limits.ts'
import { bytes, distribution, flag, listOf, micros, orNull } from './quantities.ts'
import { share, whole, word } from './quantities.ts'

const time = distribution(micros)

const task = z.strictObject({
  id: word('a task id'),
  agent: word("an agent's name"),
  duration: time,
  failure: z.strictObject({ chance: share, message: word('the error text that clients see') }),
  output: distribution(bytes),
  asks: z
    .strictObject({
      chance: share,
      for: time,
      shows: oneOf(['paused', 'not-found']),
      holdsWorker: flag,
    })
    .exactOptional(),
})

const coldStart: z.ZodType<ColdStartProfile> = z.strictObject({
  delay: time,
  idleMicros: micros,
  requests: z
    .discriminatedUnion(
      'kind',
      [
        z.strictObject({ kind: z.literal('late') }),
        z.strictObject({
          kind: z.literal('refused'),
          status: oneOf(WAKING_STATUSES),
          retryAfter: flag,
        }),
      ],
      { error: 'expected a kind: late or refused' },
    )
    .exactOptional(),
})

const capacity: z.ZodType<CapacityProfile> = z.strictObject({
  workers: orNull(whole(1), 'a whole number from 1'),
  queueLimit: orNull(whole(0), 'a whole number from 0'),
  overLimit: z.strictObject({
    status: oneOf([429, 503]),
    retryAfterSeconds: orNull(whole(0), 'whole seconds from 0'),
  }),
  coldStart: z.union([coldStart, z.null()]),
  quota: quotaComplete.exactOptional(),
  tokens: tokensComplete.exactOptional(),
  slowdown: slowdownComplete.exactOptional(),
  scaling: scalingComplete.exactOptional(),
})

const speed = z
  .number({ error: 'expected a number above 0' })
  .positive({ error: 'expected a number above 0' })

export const completeProfile: z.ZodType<Profile> = z.strictObject({
  name: word('a name'),
  description: z.string({ error: 'expected a text' }),
  seed: whole(0),
  speed,
  dialect: z.literal(['interface', 'platform'], { error: 'expected "interface" or "platform"' }),
  inputs: listOf(word('the name of an input'), 'names').refine(
    (names) => new Set(names).size === names.length,
    { error: 'expected each name once' },
  ),
  optionalInputs: listOf(word('the name of an input'), 'names').exactOptional(),
  paths: z
    .strictObject({ inputs: word('a path'), kickoff: word('a path'), status: word('a path') })
    .exactOptional(),
  progress: z.literal('step', { error: 'expected "step"' }).exactOptional(),
  tasks: listOf(task, 'tasks')
    .min(1, { error: 'expected at least one task' })
    .superRefine(checkTaskIds, { when: ({ value }) => Array.isArray(value) }),
  overhead: time,
  stuckChance: share,
  capacity,
  http: z.strictObject({
    latency: z.strictObject({ inputs: time, kickoff: time, status: time }),
    pool: z.union([z.strictObject({ size: whole(1) }), z.null()]),
  }),
  retentionMicros: orNull(micros, 'microseconds, from 0'),
  tokens: z.strictObject({
    user: z.strictObject({ inputs: flag, kickoff: flag, status: flag }),
  }),
  limits: completeLimits,
  faults: completeFaults,
})
