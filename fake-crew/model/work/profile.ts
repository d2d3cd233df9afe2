/** The work of a profile: what an execution consists of, and what serves it. */
import { z } from 'zod'
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { Distribution } from '../../../src/base/distribution.ts'
import { WAKING_STATUSES } from '../refusal.ts'
import {
  countOrUnlimited,
  distribution,
  duration,
  flag,
  oneOf,
  share,
  size,
  text,
  time,
} from '../schema/quantities.ts'
import { queue } from './shared/discipline.ts'
import { quota, tokens } from './shared/provider.ts'
import { workers } from './shared/scaling.ts'
import { slowdown } from './shared/slowdown.ts'
import { taskTokens } from './results/usage.ts'

/** Missing: until `POST /resume` answers. */
const answeredIn = time.exactOptional().meta({
  description:
    'How long until the person answers by themselves. Default: until POST /resume answers, which ' +
    'may also come sooner.',
})

const asks = z
  .strictObject({
    chance: share
      .prefault(1)
      .meta({ description: 'Probability that a person is asked about this task.' }),
    for: answeredIn,
    shows: oneOf(['paused', 'not-found'])
      .exactOptional()
      .meta({
        description:
          'What status says meanwhile: paused, or not-found, as live deployments do. The documented ' +
          'dialect has no state paused and answers running. Default: not-found in the ' +
          'dialect platform-2026-10, else paused.',
      }),
    holdsWorker: flag.prefault(false).meta({
      description:
        'Whether the worker waits too. If not, it serves others, and the execution takes its ' +
        'turn again once the person has answered.',
    }),
  })
  .meta({
    description:
      "A person is asked when the task's work is done. The task completes once they answer, and " +
      'begins again if they refuse.',
  })

/** Who is asked about a task of one execution, in place of what the profile says. */
export const scriptedAsk = z.union([z.literal(false), z.strictObject({ for: answeredIn })], {
  error: 'expected false, or for: with a time, or {}',
})

export const task = z.strictObject({
  id: text('a task id').meta({
    description: 'Unique; clients see it as current_task and task_id.',
  }),
  agent: text("an agent's name").meta({ description: 'The agent that executes it.' }),
  duration: time.meta({ description: 'How long it takes.' }),
  failure: z
    .strictObject({
      chance: share.meta({
        description: 'Probability that the task fails, and the execution with it.',
      }),
      message: text('the error text that clients see').prefault('The task failed'),
    })
    .prefault({ chance: 0 }),
  output: distribution(size, 'a size').prefault('4kB').meta({ description: 'Size of its output.' }),
  asks: asks.exactOptional(),
  tokens: taskTokens.exactOptional(),
})

const coldStart = z
  .strictObject({
    delay: time.meta({ description: 'How much longer the execution that wakes the crew waits.' }),
    idle: duration.meta({ description: 'The crew sleeps after this long without work.' }),
    requests: oneOf(['at once', 'late', 'refused'])
      .prefault('at once')
      .meta({
        description:
          'While the crew wakes, requests are answered at once (only executions wake it and wait), ' +
          'late, or refused.',
      }),
    refusal: z
      .strictObject({
        status: oneOf(WAKING_STATUSES).prefault(503),
        retryAfter: oneOf(['seconds', 'none'])
          .prefault('seconds')
          .meta({ description: 'The remaining time until the crew is awake, or none.' }),
      })
      .prefault({})
      .meta({ description: 'The answer to a refused request.' }),
  })
  .transform(({ delay, idle, requests, refusal }) => {
    const { status, retryAfter } = refusal
    const late = { kind: 'late' } as const
    const refused = { kind: 'refused', status, retryAfter: retryAfter === 'seconds' } as const
    return {
      delay,
      idleMicros: idle,
      ...(requests === 'at once' ? {} : { requests: requests === 'late' ? late : refused }),
    }
  })

export const capacity = z
  .strictObject({
    workers,
    quota: quota.exactOptional(),
    tokens: tokens.exactOptional(),
    slowdown: slowdown.exactOptional(),
    queue: queue.exactOptional(),
    queueLimit: countOrUnlimited(0)
      .prefault('unlimited')
      .meta({ description: 'Executions that may wait; one more is answered with overLimit.' }),
    overLimit: z
      .strictObject({
        status: z.literal([429, 503], { error: 'expected 429 or 503' }).prefault(503),
        retryAfter: z
          .union([duration, z.literal('none').transform(() => null)], {
            error: 'expected a duration of whole seconds, or "none"',
          })
          .refine((micros) => micros === null || micros % MICROS_PER_SECOND === 0, {
            error: 'expected whole seconds (Retry-After has no fractions), or "none"',
          })
          .prefault('none')
          .meta({ description: 'The value of Retry-After.' }),
      })
      .transform(({ status, retryAfter }) => ({
        status,
        retryAfterSeconds: retryAfter === null ? null : retryAfter / MICROS_PER_SECOND,
      }))
      .prefault({})
      .meta({ description: 'The answer to a kickoff when the queue is full.' }),
    coldStart: coldStart.exactOptional(),
  })
  .transform(({ workers: numbers, coldStart: sleep, ...others }) => ({
    ...others,
    ...numbers,
    /** Null: the crew never sleeps. */
    coldStart: sleep ?? null,
  }))

export type TaskProfile = z.output<typeof task>
export type CapacityProfile = z.output<typeof capacity>
/** What becomes of requests while the crew wakes. */
export type WakingRequests = NonNullable<NonNullable<CapacityProfile['coldStart']>['requests']>

export interface WorkProfile {
  tasks: readonly TaskProfile[]
  /** Time that belongs to no task, spread evenly before the tasks. */
  overhead: Distribution
  stuckChance: number
}
