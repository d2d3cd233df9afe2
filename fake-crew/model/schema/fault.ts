/** Faults as a profile's author writes them: what goes wrong, in which requests, and when. */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import type { Fault, FaultTime } from '../faults/fault.ts'
import type { FaultKindName, FaultWhat } from '../faults/kinds/list.ts'
import { FAULT_KIND_NAMES, definitionNamed } from '../faults/kinds/list.ts'
import { distribution } from './distribution.ts'
import { count, duration, oneOf, share, text } from './quantities.ts'

const ONE_KIND = `expected exactly one of ${FAULT_KIND_NAMES.join(', ')}`

const time = distribution(duration, 'a duration')
const lasting = duration.refine((micros) => micros > 0, { error: 'expected a duration above 0' })

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
  .transform(({ from, for: length, every }): FaultTime => ({
    kind: 'window',
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
  .transform(({ off, on }): FaultTime => ({ kind: 'episodes', off, on }))
  .meta({ description: 'Alternates off and on, each for a drawn time.' })

/** The kind's key in a fault, with its parameters as the value. */
function keyOf(kind: FaultKindName) {
  const { written, description } = definitionNamed(kind)
  return written
    .transform((parameters) => ({ kind, ...parameters }) as FaultWhat)
    .meta({ description })
    .exactOptional()
}

const kinds = Object.fromEntries(FAULT_KIND_NAMES.map((kind) => [kind, keyOf(kind)])) as Record<
  FaultKindName,
  ReturnType<typeof keyOf>
>

const fault = z
  .strictObject({
    name: text('a name').exactOptional().meta({
      description: 'The name in the ledger, and the key of its draws. Default: the kind.',
    }),
    ...kinds,
    operations: z
      .array(oneOf(OPERATIONS), { error: 'expected a list of operations' })
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
    chance: share.exactOptional().meta({ description: 'Only this share of them. Default: all.' }),
    seed: count(0)
      .exactOptional()
      .meta({ description: "Seed of its draws. Default: the profile's." }),
  })
  .superRefine(checkFault, { when: ({ value }) => isMapping(value) })
  .transform(toFault)

type WrittenFault = z.input<typeof fault>
type Unnamed = Omit<Fault, 'name'> & { name: string | null }
type Checked = Partial<Record<FaultKindName, FaultWhat>> & {
  name?: string
  operations?: Fault['operations'] & {}
  window?: FaultTime
  episodes?: FaultTime
  first?: number
  nth?: number
  chance?: number
  seed?: number
}

export const faults = z
  .array(fault, { error: 'expected a list of faults' })
  .superRefine(checkNames, { when: ({ value }) => Array.isArray(value) })
  .transform(named)

/** Accepts a single fault in place of a list, too. */
export const oneFault = fault.transform((entry) => named([entry]))

/** This check also runs on partly invalid faults, so that every mistake is reported at once. */
function checkFault(written: object, context: z.RefinementCtx): void {
  const mistake = (message: string, ...path: string[]): void => {
    context.addIssue({ code: 'custom', path, message })
  }
  const [kind, ...others] = FAULT_KIND_NAMES.filter((name) => name in written)
  if (kind === undefined || others.length > 0) return mistake(ONE_KIND)
  if ('window' in written && 'episodes' in written) {
    mistake('expected either a window or episodes', 'episodes')
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

const OF_REQUESTS = ['operations', 'first', 'nth', 'chance']

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

function isMapping(value: unknown): value is WrittenFault {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toFault(checked: Checked): Unnamed {
  const { operations, window: within, episodes: turns, first, nth = 1, chance = 1, seed } = checked
  const kind = FAULT_KIND_NAMES.find((name) => checked[name] !== undefined)!
  return {
    name: checked.name ?? null,
    what: checked[kind]!,
    operations: operations ?? null,
    time: within ?? turns ?? null,
    first: first ?? null,
    nth,
    chance,
    seed: seed ?? null,
  }
}

/** If two faults share a name given by the author, the later one is the mistake. */
export function checkNames(list: readonly unknown[], context: z.RefinementCtx): void {
  const seen = new Set<string>()
  for (const [index, entry] of list.entries()) {
    const { name } = (entry ?? {}) as { name?: unknown }
    if (typeof name !== 'string') continue
    if (seen.has(name)) {
      const message = 'expected a name that no other fault has'
      context.addIssue({ code: 'custom', path: [index, 'name'], message })
    }
    seen.add(name)
  }
}

/**
 * Faults without a name are named after their kind, with a number from the second on: `reset`,
 * `reset 2`.
 */
function named(list: readonly Unnamed[]): Fault[] {
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
