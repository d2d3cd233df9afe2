/**
 * Scripts for single executions: which kickoffs they are for, and what becomes of these executions
 * in place of what the profile says of all.
 */
import { z } from 'zod'
import { scale } from '../../src/base/distribution.ts'
import { MICROS_PER_SECOND } from '../../src/base/units.ts'
import type { JsonObject } from '../../src/crew/json.ts'
import { ownFaults } from './faults/fault.ts'
import type { Parsed } from './schema/quantities.ts'
import { count, duration, listOf, oneOf, text, time } from './schema/quantities.ts'
import type { TaskProfile, WorkProfile } from './work/profile.ts'
import { scriptedAsk } from './work/profile.ts'

type Json = z.core.util.JSONType

/** `z.json()` in the words of a profile's author. */
const json: z.ZodType<Json, Json> = z.lazy(() =>
  z.union(
    [z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)],
    { error: 'expected a value of JSON' },
  ),
)

const when = z
  .strictObject({
    input: z
      .record(z.string(), json)
      .exactOptional()
      .meta({
        description:
          'Inputs that the kickoff has, with these values. An object fits if each of its keys ' +
          'does. A list fits if it has the same length and each of its values fits.',
      }),
    token: oneOf(['organization', 'user'])
      .exactOptional()
      .meta({ description: 'The token of the kickoff.' }),
    correlation: text('a text')
      .exactOptional()
      .meta({ description: 'The x-correlation-id of the kickoff.' }),
    ordinal: count(0)
      .exactOptional()
      .meta({ description: 'The number of the execution, in order of acceptance, from 0.' }),
  })
  .prefault({})
  .meta({ description: 'Which executions it is for: all of this is true of them. Default: all.' })

const scriptedTask = z.strictObject({
  duration: time.exactOptional().meta({ description: 'How long it takes.' }),
  output: z
    .string({ error: 'expected a text' })
    .exactOptional()
    .meta({ description: 'Its output, to the letter.' }),
  fails: text('the error text that clients see')
    .exactOptional()
    .meta({ description: 'The execution fails in this task, with this text.' }),
  asks: scriptedAsk.exactOptional().meta({
    description:
      'A person is surely asked about it, or with false surely not. Whether the worker waits, and ' +
      "what status says meanwhile, is as in the profile's task.",
  }),
})

const wait = duration.refine((micros) => micros % MICROS_PER_SECOND === 0, {
  error: 'expected whole seconds (Retry-After has no fractions)',
})

const script = z.strictObject({
  name: text('a name')
    .exactOptional()
    .meta({ description: 'The name by which it can be ended. Default: script.' }),
  when,
  tasks: z
    .record(z.string(), scriptedTask)
    .prefault({})
    .meta({ description: 'What differs in its tasks, by their ids.' }),
  outcome: oneOf(['completed', 'stuck'])
    .exactOptional()
    .meta({ description: 'Completed: no task fails by chance. Stuck: it never ends.' }),
  advances: oneOf(['each poll'])
    .exactOptional()
    .meta({
      description:
        'Each poll completes a task, in place of time. The execution waits for its turn, and ' +
        'then occupies no worker.',
    }),
  usage: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .exactOptional()
    .meta({ description: 'The usage_metrics of the completed answer.' }),
  retryAfter: z
    .strictObject({ kickoff: wait.exactOptional(), status: wait.exactOptional() })
    .exactOptional()
    .meta({
      description: 'Retry-After on the answer to the kickoff, and to polls before the end.',
    }),
  faults: ownFaults.exactOptional().meta({
    description: 'Faults of its polls, which count this execution alone, and of its kickoff.',
  }),
})

export const scripts = listOf(script, 'scripts').meta({
  description: 'What becomes of single executions; the first that fits a kickoff is its script.',
})

export type ScriptProfile = Parsed<z.output<typeof script>>

/** A script as its author writes it. */
export type WrittenScript = z.input<typeof script>

/** The facts about a kickoff that decide which script it has. */
export interface ScriptedKickoff {
  inputs: Readonly<Record<string, unknown>>
  token: 'organization' | 'user'
  correlation: string | null
  ordinal: number
}

export interface ExecutionScript extends Pick<
  ScriptProfile,
  'advances' | 'usage' | 'retryAfter' | 'faults'
> {
  /** The tasks of the execution, in place of the profile's. */
  work: WorkProfile
  /** The output of each task; undefined for one that is made up. */
  outputs: readonly (string | undefined)[]
}

/** What becomes of an execution that has this script. */
export function scriptOf(written: ScriptProfile, work: WorkProfile): ExecutionScript {
  const { tasks, outcome, advances, usage, retryAfter, faults: own } = written
  const isFixed = outcome !== undefined || Object.values(tasks).some(({ fails }) => fails)
  return {
    work: {
      ...work,
      tasks: work.tasks.map((task) => scripted(task, tasks[task.id] ?? {}, isFixed)),
      stuckChance: outcome === 'stuck' ? 1 : isFixed ? 0 : work.stuckChance,
    },
    outputs: work.tasks.map(({ id }) => tasks[id]?.output),
    ...(advances === undefined ? {} : { advances }),
    ...(usage === undefined ? {} : { usage }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(own === undefined ? {} : { faults: own }),
  }
}

export function isFor({ when: wanted }: ScriptProfile, kickoff: ScriptedKickoff): boolean {
  const { input = {}, token, correlation, ordinal } = wanted
  return (
    (token ?? kickoff.token) === kickoff.token &&
    (correlation ?? kickoff.correlation) === kickoff.correlation &&
    (ordinal ?? kickoff.ordinal) === kickoff.ordinal &&
    fits(kickoff.inputs, input)
  )
}

/** An object may have more keys than wanted; a list has the same length. */
function fits(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  if (typeof value !== 'object' || value === null) return false
  const isAlike = Array.isArray(wanted)
    ? Array.isArray(value) && value.length === wanted.length
    : !Array.isArray(value)
  if (!isAlike) return false
  return Object.entries(wanted).every(
    ([key, each]) => Object.hasOwn(value, key) && fits((value as JsonObject)[key], each),
  )
}

function scripted(
  written: TaskProfile,
  { duration: takes = written.duration, fails, asks }: z.output<typeof scriptedTask>,
  isFixed: boolean,
): TaskProfile {
  const task = asks === undefined ? written : asking(written, asks)
  if (fails !== undefined) {
    return { ...task, duration: takes, failure: { chance: 1, message: fails } }
  }
  const { failure } = task
  return { ...task, duration: takes, failure: isFixed ? { ...failure, chance: 0 } : failure }
}

function asking(
  { asks: usual, ...task }: TaskProfile,
  asks: z.output<typeof scriptedAsk>,
): TaskProfile {
  if (asks === false) return task
  const { for: _, ...shown } = usual ?? { holdsWorker: false }
  return { ...task, asks: { ...shown, ...asks, chance: 1 } }
}

/** A list of them, or one, for a crew with these tasks. */
export function scriptsFor(taskIds: readonly string[], isList: boolean) {
  const tasks = taskIds.map((id) => ({ id }))
  const checkTasks = (written: unknown, context: z.RefinementCtx): void => {
    const strange = strangeTasks({ tasks, scripts: isList ? written : [written] })
    for (const { path, message } of strange) {
      context.addIssue({ code: 'custom', path: path.slice(isList ? 1 : 2), message })
    }
  }
  const always = { when: () => true }
  return isList
    ? scripts.superRefine(checkTasks, always)
    : script.superRefine(checkTasks, always).transform((one) => [one])
}

/** Ids of no task, with their places; of profiles that may be partly invalid, too. */
export function strangeTasks({ tasks, scripts: list }: { tasks?: unknown; scripts?: unknown }) {
  if (!Array.isArray(tasks) || !Array.isArray(list)) return []
  const ids = tasks.map((task) => memberOf(task, 'id'))
  return list.flatMap((each, index) =>
    Object.keys(memberOf(each, 'tasks') ?? {})
      .filter((id) => !ids.includes(id))
      .map((id) => ({
        path: ['scripts', index, 'tasks', id],
        message: `expected the id of a task: ${ids.join(', ')}`,
      })),
  )
}

function memberOf(value: unknown, name: string): unknown {
  return ((value ?? {}) as Readonly<Record<string, unknown>>)[name]
}

/** In wall time: `Retry-After` is rounded up to a whole second. */
export function scriptAtSpeed(profile: ScriptProfile, speed: number): void {
  for (const task of Object.values(profile.tasks)) {
    if (task.duration !== undefined) task.duration = scale(task.duration, 1 / speed)
    const { asks } = task
    if (asks !== undefined && asks !== false && asks.for !== undefined) {
      asks.for = scale(asks.for, 1 / speed)
    }
  }
  const { retryAfter = {} } = profile
  for (const key of ['kickoff', 'status'] as const) {
    const micros = retryAfter[key]
    if (micros === undefined) continue
    retryAfter[key] = Math.ceil(micros / speed / MICROS_PER_SECOND) * MICROS_PER_SECOND
  }
}
