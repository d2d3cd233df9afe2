/** A plan as data: its description and hash, and what travels to a k6 script. */
import { hashText, createRandom } from '../base/random.ts'
import type { PlanDocument } from './plan.schema.ts'
import type { ArrivalPlan, Plan, CompletedExecution } from './plan.ts'
import { assert } from '../base/assert.ts'
import { HIDDEN_VALUE } from '../base/text.ts'
import { createCheck } from './author/checks.ts'
import type { InputRecord, InputsOption, KickoffOption, TagsOption } from './inputs.ts'
import { createInputSource } from './author/inputs.ts'

export function describePlan(plan: Plan): PlanDocument {
  return {
    ...plan,
    arrivals: describeArrivals(plan.arrivals),
    inputs: plan.inputs.description ?? 'made by a function',
    checks: plan.checks.map(({ name }) => name),
    http: { ...plan.http, headers: Object.keys(plan.http.headers).sort() },
    ...(plan.people === undefined ? {} : { people: describePeople(plan.people) }),
  }
}

/** What is said to the crew is its owner's, as inputs are. */
function describePeople(people: NonNullable<Plan['people']>): NonNullable<PlanDocument['people']> {
  const answers = people.answers.map(({ approve }) => ({ approve, feedback: HIDDEN_VALUE }))
  return { ...people, answers }
}

/**
 * Sixteen hex digits over the canonical JSON (keys sorted): equal plans have equal hashes on any
 * machine.
 */
export function planHash(document: PlanDocument): string {
  return hash64(canonicalJson(document))
}

function describeArrivals(arrivals: ArrivalPlan): PlanDocument['arrivals'] {
  if (arrivals.kind !== 'replay') return arrivals
  const { offsetsMicros } = arrivals
  return {
    kind: 'replay',
    arrivals: offsetsMicros.length,
    lastMicros: offsetsMicros.at(-1) ?? 0,
    offsetsHash: hash64(offsetsMicros.join(',')),
  }
}

const SECOND_BASIS = 0x1b87_3593

function hash64(text: string): string {
  const halves = [hashText(text), hashText(text, SECOND_BASIS)]
  return halves.map((half) => half.toString(16).padStart(8, '0')).join('')
}

/** JSON with sorted keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/** The plan as JSON. It contains header values, which may be secret. */
export interface PortablePlan extends Omit<Plan, 'inputs' | 'checks'> {
  /** Null represents the scenario's function. */
  inputs: {
    inputs: Exclude<InputsOption, (...args: never) => unknown> | null
    /** Missing without members. */
    kickoff?: Exclude<KickoffOption, (...args: never) => unknown> | null
    tags: Exclude<TagsOption, (...args: never) => unknown> | null
    rows: readonly InputRecord[]
  }
  /** The names of the checks; their functions are in the scenario. */
  checks: readonly string[]
}

/** `plan` is a plan as `planScenario` made it. */
export function portablePlan(plan: Plan): PortablePlan {
  const { material } = plan.inputs
  assert(material !== undefined, 'only a plan made from a scenario can travel')
  const { inputs, kickoff, tags, rows } = material
  return {
    ...plan,
    inputs: {
      inputs: typeof inputs === 'function' ? null : inputs,
      ...(kickoff === undefined ? {} : { kickoff: typeof kickoff === 'function' ? null : kickoff }),
      tags: typeof tags === 'function' ? null : tags,
      rows,
    },
    checks: plan.checks.map(({ name }) => name),
  }
}

/** True when the plan needs the scenario itself at its destination. */
export function needsScenario({ inputs, checks }: PortablePlan): boolean {
  return (
    inputs.inputs === null || inputs.tags === null || inputs.kickoff === null || checks.length > 0
  )
}

/**
 * Rebuilds the plan: the same schedule, inputs and checks. `scenario` is the default export of the
 * scenario file, already checked where the plan was made; null suffices when `needsScenario` is
 * false.
 */
export function planFrom(portable: PortablePlan, scenario: unknown): Plan {
  const author = (scenario ?? {}) as AuthorsFunctions
  const { inputs, kickoff, tags, rows } = portable.inputs
  const material = {
    inputs: inputs ?? demanded(author.inputs, 'inputs'),
    ...(kickoff === undefined ? {} : { kickoff: kickoff ?? demanded(author.kickoff, 'kickoff') }),
    tags: tags ?? demanded(author.tags, 'tags'),
    rows,
  }
  return {
    ...portable,
    inputs: createInputSource(material, createRandom(portable.seed)),
    checks: portable.checks.map((name) =>
      createCheck(name, demanded(author.checks?.[name], `checks.${name}`)),
    ),
  }
}

interface AuthorsFunctions {
  inputs?: InputsOption
  kickoff?: KickoffOption
  tags?: TagsOption
  checks?: Readonly<Record<string, (completed: CompletedExecution) => unknown>>
}

function demanded<T>(value: T | undefined, path: string): T {
  assert(value !== undefined, `the scenario has no ${path}, which its plan needs`)
  return value
}
