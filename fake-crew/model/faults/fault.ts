/** A fault: what goes wrong, in which requests, and when. */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import type { Parsed } from '../schema/quantities.ts'
import { isObject } from '../../../src/crew/json.ts'
import type { FaultKindName } from './kinds/list.ts'
import { FAULT_KIND_NAMES, FAULT_KINDS, definitionNamed } from './kinds/list.ts'
import { keysOf } from '../schema/kinds.ts'
import {
  OF_LISTS,
  count,
  duration,
  eachOnce,
  lasting,
  listOf,
  oneOf,
  share,
  text,
  time,
} from '../schema/quantities.ts'

const ONE_KIND = `expected exactly one of ${FAULT_KIND_NAMES.join(', ')}`

/** For faults that may be partly invalid, so that every mistake is reported at once. */
const OF_OBJECTS: typeof OF_LISTS = {
  when: ({ value }) => isObject(value),
}

const window = z
  .strictObject({
    from: duration.prefault('0s').meta({ description: "Starts this long after the crew's start." }),
    for: lasting.exactOptional().meta({ description: 'How long it is on. Default: indefinitely.' }),
    every: lasting
      .exactOptional()
      .meta({ description: 'Repeats at this interval. Default: never.' }),
  })
  .refine(({ for: length, every = Infinity }) => (length ?? 0) < every, {
    path: ['every'],
    error: 'expected more than the time for which it is on',
  })
  .transform(({ from, for: length, every }) => ({
    kind: 'window' as const,
    fromMicros: from,
    forMicros: length ?? null,
    everyMicros: every ?? null,
  }))
  .meta({ description: "When it is on, in the crew's time: speed shortens it." })

const episodes = z
  .strictObject({
    off: time.meta({ description: 'How long it is off before each time it is on.' }),
    on: time.meta({ description: 'How long it is on.' }),
  })
  .transform(({ off, on }) => ({ kind: 'episodes' as const, off, on }))
  .meta({ description: 'Alternates off and on, each for a drawn time.' })

const writtenFault = z
  .strictObject({
    name: text('a name').exactOptional().meta({
      description: 'The name in the ledger, and the key of its draws. Default: the kind.',
    }),
    ...keysOf(FAULT_KINDS),
    operations: listOf(oneOf(OPERATIONS), 'operations')
      .min(1, { error: 'expected at least one operation' })
      .exactOptional()
      .meta({
        description: 'Which requests it can strike. Default: all that the kind can strike.',
      }),
    window: window.exactOptional(),
    episodes: episodes.exactOptional(),
    first: count(1)
      .exactOptional()
      .meta({ description: 'Only the first this many matching requests; then it stops.' }),
    nth: count(1).exactOptional().meta({ description: 'Only every nth matching request.' }),
    only: count(1)
      .exactOptional()
      .meta({ description: 'Only this matching request, counted from 1: `only: 3` is the third.' }),
    chance: share.exactOptional().meta({ description: 'Only this share of them. Default: all.' }),
    seed: count(0)
      .exactOptional()
      .meta({ description: "Seed of its draws. Default: the profile's." }),
  })
  .superRefine(checkFault, OF_OBJECTS)

const fault = writtenFault.transform(readFault)

/** A fault of one execution. */
const ownFault = writtenFault.superRefine(checkOwn, OF_OBJECTS).transform(readFault)

function readFault({
  name,
  operations,
  window: on,
  episodes: turns,
  first,
  nth,
  only,
  chance,
  seed,
  ...kind
}: z.output<typeof writtenFault>) {
  return {
    /** Unique in its crew: the name in the ledger, and the key of its draws. */
    name: name ?? null,
    what: Object.values(kind)[0]!,
    /** Null: every operation that the kind can strike. */
    operations: operations ?? null,
    /**
     * Times are in the crew's own time, which `wallFault` divides. They count from the crew's
     * start, or from when the fault was added. Null for faults without a schedule.
     */
    time: on ?? turns ?? null,
    first: first ?? only ?? null,
    nth: nth ?? only ?? 1,
    chance: chance ?? 1,
    /** Root of its draws; null: the crew's. */
    seed: seed ?? null,
  }
}

/** A fault as its author writes it. */
export type WrittenFault = z.input<typeof fault>
type UnnamedFault = z.output<typeof fault>
export type Fault = Parsed<UnnamedFault> & { name: string }
export type FaultTime = NonNullable<Fault['time']>

const NAMES_ONCE = eachOnce('name', 'expected a name that no other fault has')

export const faults = listOf(fault, 'faults').superRefine(NAMES_ONCE, OF_LISTS).transform(named)

/** Those of one execution, which a script gives it. */
export const ownFaults = listOf(ownFault, 'faults')
  .superRefine(NAMES_ONCE, OF_LISTS)
  .transform(named)

/** Accepts a single fault in place of a list, too. */
export const oneFault = fault.transform((entry) => named([entry]))

function checkFault(written: object, context: z.RefinementCtx): void {
  const mistake = (message: string, ...path: string[]): void => {
    context.addIssue({ code: 'custom', path, message })
  }
  const [kind, ...others] = FAULT_KIND_NAMES.filter((name) => name in written)
  if (kind === undefined || others.length > 0) return mistake(ONE_KIND)
  if ('window' in written && 'episodes' in written) {
    mistake('expected either a window or episodes', 'episodes')
  }
  if ('only' in written && ('first' in written || 'nth' in written)) {
    mistake('expected either only, or first and nth', 'only')
  }
  const { reach } = definitionNamed(kind)
  if (reach === 'connections') return checkConnections(kind, written, mistake)
  const { operations = [] } = written as { operations?: unknown }
  if (!Array.isArray(operations)) return
  const known: readonly unknown[] = OPERATIONS
  const within: readonly unknown[] = reach
  if (operations.some((operation) => known.includes(operation) && !within.includes(operation))) {
    mistake(`expected operations that ${kind} can strike: ${reach.join(', ')}`, 'operations')
  }
}

/** A script has only what can strike the kickoff or the polls of its execution. */
function checkOwn(written: object, context: z.RefinementCtx): void {
  const kind = FAULT_KIND_NAMES.find((name) => name in written)
  if (kind === undefined) return
  const { reach, scriptProblem } = definitionNamed(kind)
  const problem =
    reach === 'connections'
      ? `expected a fault of requests: ${kind} strikes connections, which all executions share`
      : scriptProblem
  if (problem !== undefined) {
    context.addIssue({ code: 'custom', path: [kind], message: problem })
    return
  }
  if (!reach.includes('status')) {
    for (const key of OF_MANY.filter((name) => name in written)) {
      const message = `expected nothing here: ${kind} strikes the kickoff alone`
      context.addIssue({ code: 'custom', path: [key], message })
    }
    return
  }
  const { operations } = written as { operations?: unknown }
  if (!Array.isArray(operations)) return
  if (operations.every((operation) => operation === 'status')) return
  const message = "expected only status: a script's faults strike the polls of its execution"
  context.addIssue({ code: 'custom', path: ['operations'], message })
}

/** Settings by which a fault could miss the one request that it can strike. */
const OF_MANY = ['window', 'episodes', 'first', 'nth', 'only']

const OF_REQUESTS = ['operations', 'first', 'nth', 'only', 'chance']

/**
 * Faults of connections have times, but no settings that count requests. A fault that keeps the
 * control from clearing it must end.
 */
function checkConnections(
  kind: FaultKindName,
  written: object,
  mistake: (message: string, ...path: string[]) => void,
): void {
  for (const key of OF_REQUESTS.filter((name) => name in written)) {
    mistake(`expected nothing here: ${kind} strikes connections, not requests`, key)
  }
  const { window: within } = written as { window?: { for?: unknown; forMicros?: unknown } }
  const ends = (within?.for ?? within?.forMicros ?? null) !== null
  if (definitionNamed(kind).mustEnd && !ends && !('episodes' in written)) {
    mistake('expected an end (for): while connections are refused, nobody could clear it', 'window')
  }
}

/**
 * Faults without a name are named after their kind, with a number from the second on: `reset`,
 * `reset 2`.
 */
function named(list: readonly UnnamedFault[]): Fault[] {
  const taken = new Set(list.map(({ name }) => name))
  return list.map((entry) => {
    if (entry.name !== null) return { ...entry, name: entry.name }
    const { kind } = entry.what
    let name: string = kind
    for (let number = 2; taken.has(name); number++) name = `${kind} ${number}`
    taken.add(name)
    return { ...entry, name }
  })
}
