/**
 * The profile: how the fake crew behaves. One schema says every key that an author may write, its
 * allowed values and its default; the types are inferred from what it returns.
 */
import { z } from 'zod'
import { DOCUMENTED_PATHS, ID_PLACE } from '../../src/crew/crew-request.ts'
import { DIALECT_NAMES } from '../../src/crew/wire.ts'
import { faults } from './faults/fault.ts'
import { limits } from './limits/profile.ts'
import { webhooks } from './push/profile.ts'
import type { Parsed } from './schema/quantities.ts'
import {
  OF_LISTS,
  count,
  duration,
  eachOnce,
  flag,
  listOf,
  share,
  text,
  time,
} from './schema/quantities.ts'
import { capacity, task } from './work/profile.ts'
import { scripts, strangeTasks } from './scripts.ts'
import { usage } from './work/results/usage.ts'
import type { QueueProfile } from './work/shared/discipline.ts'

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
    .strictObject({ size: count(1) })
    .exactOptional()
    .meta({ description: 'Requests served at once, so that latency grows with load.' }),
})

const allowed = flag.prefault(true)

const path = text('a path').regex(/^\/[^\s?#]*$/, { error: 'expected a path like "/kickoff"' })

/** The author's input; after parsing, quantities are numbers and defaults are filled in. */
const writtenProfile = z
  .strictObject({
    name: text('a name').exactOptional().meta({ description: "Default: the file's name." }),
    description: text('a sentence').prefault('A fake crew'),
    seed: count(0).prefault(1).meta({ description: 'Seed of every draw.' }),
    speed: z
      .number({ error: 'expected a number above 0' })
      .positive({ error: 'expected a number above 0' })
      .prefault(1)
      .meta({
        description:
          'Time-lapse: divides the times of tasks, cold start, retention and rate limits.',
      }),
    dialect: z
      .literal(DIALECT_NAMES, {
        error: `expected ${DIALECT_NAMES.map((name) => `"${name}"`).join(' or ')}`,
      })
      .prefault('interface')
      .meta({
        description:
          'As documented, or as live deployments answer; platform-2026-10: as they were seen ' +
          'in that month.',
      }),
    inputs: listOf(text('the name of an input'), 'names')
      .refine((names) => new Set(names).size === names.length, { error: 'expected each name once' })
      .prefault([])
      .meta({ description: 'Names that GET /inputs lists and every kickoff must contain.' }),
    optionalInputs: listOf(text('the name of an input'), 'names')
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
      .meta({ description: 'Paths at which the crew serves the interface: "/{id}/status".' }),
    progress: z
      .literal('step', { error: 'expected "step"' })
      .exactOptional()
      .meta({
        description:
          'What progress counts in the dialects of platforms: steps, whose total is not known. ' +
          'Default: tasks.',
      }),
    tasks: listOf(task, 'tasks')
      .min(1, { error: 'expected at least one task' })
      .superRefine(eachOnce('id', 'expected an id that no other task has'), OF_LISTS)
      .meta({ description: 'The tasks of an execution, in order.' }),
    overhead: time.prefault('0s').meta({
      description:
        'Time of an execution outside its tasks: set-up, hand-over between agents. Its ' +
        'execution_time contains it, and no task’s time does; it is spread evenly before its tasks.',
    }),
    stuck: share.prefault(0).meta({
      description: 'Probability that an execution never ends and keeps its worker.',
    }),
    usage: usage.exactOptional(),
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
          .strictObject({ inputs: allowed, kickoff: allowed, status: allowed, resume: allowed })
          .prefault({})
          .meta({
            description: 'What a user token may do; an organization token may do everything.',
          }),
      })
      .prefault({}),
    limits: limits.prefault({}),
    faults: faults.prefault([]).meta({ description: 'The faults to inject, and when.' }),
    scripts: scripts.exactOptional(),
    webhooks: webhooks.exactOptional(),
  })
  .superRefine(
    (written, context) => {
      const strange = [...strangeTasks(written), ...strangeQueue(written)]
      for (const each of strange) context.addIssue({ code: 'custom', ...each })
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  .meta({ title: 'A fake crew profile', description: "How crewload's fake crew behaves." })

/** Turns by an input that no kickoff need have; of profiles that may be partly invalid, too. */
function strangeQueue({ inputs, capacity }: { inputs?: unknown; capacity?: unknown }) {
  const { queue } = (capacity ?? {}) as { queue?: Partial<QueueProfile> }
  const by = queue?.by
  if (!Array.isArray(inputs) || typeof by !== 'object' || !('input' in by)) return []
  if (inputs.includes(by.input)) return []
  const known = inputs.length === 0 ? ', and the profile has none' : `: ${inputs.join(', ')}`
  return [
    { path: ['capacity', 'queue', 'by', 'input'], message: `expected one of the inputs${known}` },
  ]
}

/**
 * Times are in microseconds of the crew's own time: `wallProfile` divides them by the speed (HTTP
 * latency stays real).
 */
export const parsedProfile = writtenProfile.transform(
  ({ name = 'fake crew', stuck, retention, http: served, ...others }) => ({
    ...others,
    name,
    stuckChance: stuck,
    /** Null: ended executions are kept. */
    retentionMicros: retention,
    http: { latency: served.latency, pool: served.pool ?? null },
  }),
)

export type WrittenProfile = z.input<typeof writtenProfile>
export type Profile = Parsed<z.output<typeof parsedProfile>>
export type HttpProfile = Profile['http']

/**
 * JSON Schema (draft 2020-12) of the author's shape, for editors: published as
 * `schemas/profile.schema.json`.
 */
export function profileJsonSchema(): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(writtenProfile, { io: 'input', target: 'draft-2020-12' })
}
