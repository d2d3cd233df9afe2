/** A plan as pure data, for a k6 script; the author's functions are taken from the scenario. */
import { assert } from '../base/assert.ts'
import { createRandom } from '../base/random.ts'
import { createCheck } from './author/checks.ts'
import type { InputRecord, InputsOption, KickoffOption, TagsOption } from './inputs.ts'
import { createInputSource } from './author/inputs.ts'
import type { CompletedExecution, Plan } from './plan.ts'

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
