/** The profile as its author writes it: every key, its allowed values, and its default. */
import { DOCUMENTED_PATHS, ID_PLACE } from '../../../src/crew/request.ts'
import { z } from 'zod'
import { WAKING_STATUSES } from '../refusal.ts'
import { distribution } from './distribution.ts'
import { faults } from './fault.ts'
import { limits } from './limits.ts'
import { quotaWritten } from '../work/shared/quota.ts'
import { scalingWritten } from '../work/shared/scaling.ts'
import { slowdownWritten } from '../work/shared/slowdown.ts'
import { tokensWritten } from '../work/shared/tokens.ts'
import { countOr, duration, oneOf, share, size, text } from './quantities.ts'

const time = distribution(duration, 'a duration')
const bytes = distribution(size, 'a size')

const asks = z
  .strictObject({
    chance: share
      .prefault(1)
      .meta({ description: 'Probability that a person is asked about this task.' }),
    for: time.meta({ description: 'How long until the person answers.' }),
    shows: oneOf(['paused', 'not-found'])
      .prefault('paused')
      .meta({
        description:
          'What status says meanwhile: paused (the platform dialect answers PAUSED; the ' +
          'documented one has no such state and answers running), or not-found, as live ' +
          'deployments do.',
      }),
    holdsWorker: z
      .boolean({ error: 'expected true or false' })
      .prefault(false)
      .meta({
        description:
          'Whether the worker waits too. If not, it serves others, and the execution takes its ' +
          'turn again once the person has answered.',
      }),
  })
  .meta({
    description:
      "A person is asked when the task's work is done; the task completes once they answer.",
  })

const task = z.strictObject({
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
  output: bytes.prefault('4kB').meta({ description: 'Size of its output.' }),
  asks: asks.exactOptional(),
})

const capacity = z.strictObject({
  workers: z
    .union([countOr(1, 'unlimited'), scalingWritten], {
      error: 'expected a whole number from 1, "unlimited", or { from, to, upAfter, downAfter }',
    })
    .prefault(10)
    .meta({
      description: 'Executions that run at once; the rest wait, first come, first served.',
    }),
  quota: quotaWritten.exactOptional(),
  tokens: tokensWritten.exactOptional(),
  slowdown: slowdownWritten.exactOptional(),
  queueLimit: countOr(0, 'unlimited')
    .prefault('unlimited')
    .meta({ description: 'Executions that may wait; one more is answered with overLimit.' }),
  overLimit: z
    .strictObject({
      status: z
        .union([z.literal(429), z.literal(503)], { error: 'expected 429 or 503' })
        .prefault(503),
      retryAfter: z
        .union([duration, z.literal('none').transform(() => null)], {
          error: 'expected a duration of whole seconds, or "none"',
        })
        .refine((micros) => micros === null || micros % 1_000_000 === 0, {
          error: 'expected whole seconds (Retry-After has no fractions), or "none"',
        })
        .prefault('none')
        .meta({ description: 'The value of Retry-After.' }),
    })
    .prefault({})
    .meta({ description: 'The answer to a kickoff when the queue is full.' }),
  coldStart: z
    .strictObject({
      delay: time.meta({ description: 'How much longer the execution that wakes the crew waits.' }),
      idle: duration.meta({ description: 'The crew sleeps after this long without work.' }),
      requests: oneOf(['at once', 'late', 'refused'])
        .prefault('at once')
        .meta({
          description:
            'While the crew wakes, requests are answered at once (only executions wake it ' +
            'and wait), late (when it is awake), or refused.',
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
    .exactOptional(),
})

const http = z.strictObject({
  latency: z
    .strictObject({
      inputs: time.prefault('0'),
      kickoff: time.prefault('0'),
      status: time.prefault('0'),
    })
    .prefault({})
    .meta({
      description: 'Added to every answer of the operation. Real time: speed does not change it.',
    }),
  pool: z
    .strictObject({
      size: z.int({ error: 'expected a whole number from 1' }).min(1, {
        error: 'expected a whole number from 1',
      }),
    })
    .exactOptional()
    .meta({ description: 'Requests served at once, so that latency grows with load.' }),
})

const allowed = z.boolean({ error: 'expected true or false' }).prefault(true)

const speed = z
  .number({ error: 'expected a number above 0' })
  .positive({ error: 'expected a number above 0' })

const seed = z
  .int({ error: 'expected a whole number from 0' })
  .min(0, { error: 'expected a whole number from 0' })

/**
 * If two tasks share an id, the later one is the mistake. Also checks partly invalid tasks: every
 * mistake is reported at once.
 */
export function checkTaskIds(tasks: readonly unknown[], context: z.RefinementCtx): void {
  const seen = new Set<string>()
  for (const [index, entry] of tasks.entries()) {
    const { id } = (entry ?? {}) as { id?: unknown }
    if (typeof id !== 'string') continue
    if (seen.has(id)) {
      context.addIssue({
        code: 'custom',
        path: [index, 'id'],
        message: 'expected an id that no other task has',
      })
    }
    seen.add(id)
  }
}

const path = text('a path').regex(/^\/[^\s?#]*$/, { error: 'expected a path like "/kickoff"' })

/** The author's input; after parsing, quantities are numbers and defaults are filled in. */
export const writtenProfile = z
  .strictObject({
    name: text('a name').exactOptional().meta({ description: "Default: the file's name." }),
    description: text('a sentence').prefault('A fake crew'),
    seed: seed.prefault(1).meta({ description: 'Seed of every draw.' }),
    speed: speed.prefault(1).meta({
      description: 'Time-lapse: divides the times of tasks, cold start, retention and rate limits.',
    }),
    dialect: z
      .union([z.literal('interface'), z.literal('platform')], {
        error: 'expected "interface" or "platform"',
      })
      .prefault('interface')
      .meta({ description: 'As documented, or as live deployments answer.' }),
    inputs: z
      .array(text('the name of an input'), { error: 'expected a list of names' })
      .refine((names) => new Set(names).size === names.length, { error: 'expected each name once' })
      .prefault([])
      .meta({ description: 'Names that GET /inputs lists and every kickoff must contain.' }),
    optionalInputs: z
      .array(text('the name of an input'), { error: 'expected a list of names' })
      .exactOptional()
      .meta({ description: 'Those of them that a kickoff may lack, as the state of a flow.' }),
    paths: z
      .strictObject({
        inputs: path.prefault(DOCUMENTED_PATHS.inputs),
        kickoff: path.prefault(DOCUMENTED_PATHS.kickoff),
        status: path
          .refine((path) => path.split(ID_PLACE).length === 2, { error: 'expected {id} once' })
          .prefault(DOCUMENTED_PATHS.status),
      })
      .exactOptional()
      .meta({ description: 'Where the crew serves the interface: "/{id}/status".' }),
    progress: z
      .literal('step', { error: 'expected "step"' })
      .exactOptional()
      .meta({
        description:
          'What progress counts in the dialect platform: steps, whose total is not known. ' +
          'Default: tasks.',
      }),
    tasks: z
      .array(task, { error: 'expected a list of tasks' })
      .min(1, { error: 'expected at least one task' })
      .superRefine(checkTaskIds, { when: ({ value }) => Array.isArray(value) })
      .meta({ description: 'The tasks of an execution, in order.' }),
    overhead: time.prefault('0s').meta({
      description:
        'Time of an execution outside its tasks: set-up, hand-over between agents. Its ' +
        'execution_time contains it, and no task’s time does; it is spread evenly before its tasks.',
    }),
    stuck: share.prefault(0).meta({
      description: 'Probability that an execution never ends and keeps its worker.',
    }),
    capacity: capacity.prefault({}),
    http: http.prefault({}),
    retention: z
      .union([duration, z.literal('forever').transform(() => null)], {
        error: 'expected a duration, or "forever"',
      })
      .prefault('forever')
      .meta({
        description:
          'Ended executions answer 404 after this, and their memory is freed; set it for ' +
          'crews that run for days.',
      }),
    tokens: z
      .strictObject({
        user: z
          .strictObject({ inputs: allowed, kickoff: allowed, status: allowed })
          .prefault({})
          .meta({
            description: 'What a user token may do; an organization token may do everything.',
          }),
      })
      .prefault({}),
    limits: limits.prefault({}),
    faults: faults.prefault([]).meta({ description: 'The faults to inject, and when.' }),
  })
  .meta({ title: 'A fake crew profile', description: "How crewload's fake crew behaves." })

export type WrittenProfile = z.output<typeof writtenProfile>

/**
 * JSON Schema (draft 2020-12) of the author's shape, for editors: published as
 * `schemas/profile.schema.json`.
 */
export function profileJsonSchema(): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(writtenProfile, { io: 'input', target: 'draft-2020-12' })
}
