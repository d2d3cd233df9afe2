/**
 * A plan that travels, to a worker thread or into a k6 script: all of it is data, and the author's
 * functions are found again in the scenario there.
 */
import { assert } from '../base/assert.ts'
import { createRandom } from '../base/random.ts'
import { createCheck } from './author/checks.ts'
import type { InputRecord, InputsOption, TagsOption } from './define.ts'
import { createInputSource } from './author/inputs.ts'
import type { CompletedExecution, Plan } from './plan.ts'

/** Survives JSON. Header values are in it, which may be secrets. */
export interface PortablePlan extends Omit<Plan, 'inputs' | 'checks'> {
  /** Null stands for the scenario's function. */
  inputs: {
    inputs: Exclude<InputsOption, (...args: never) => unknown> | null
    tags: Exclude<TagsOption, (...args: never) => unknown> | null
    rows: readonly InputRecord[]
  }
  /** Names; the functions are the scenario's. */
  checks: readonly string[]
}

/** The plan as `planScenario` made it. */
export function portablePlan(plan: Plan): PortablePlan {
  const { material } = plan.inputs
  assert(material !== undefined, 'only a plan made from a scenario can travel')
  const { inputs, tags, rows } = material
  return {
    ...plan,
    inputs: {
      inputs: typeof inputs === 'function' ? null : inputs,
      tags: typeof tags === 'function' ? null : tags,
      rows,
    },
    checks: plan.checks.map(({ name }) => name),
  }
}

/** True when the plan needs the scenario itself at its destination. */
export function needsScenario({ inputs, checks }: PortablePlan): boolean {
  return inputs.inputs === null || inputs.tags === null || checks.length > 0
}

/**
 * The plan again: the same schedule, inputs and checks. `scenario` is what the scenario file
 * exports by default, checked already where the plan was made; null will do where `needsScenario`
 * says no.
 */
export function planFrom(portable: PortablePlan, scenario: unknown): Plan {
  const author = (scenario ?? {}) as AuthorsFunctions
  const { inputs, tags, rows } = portable.inputs
  const material = {
    inputs: inputs ?? demanded(author.inputs, 'inputs'),
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
  tags?: TagsOption
  checks?: Readonly<Record<string, (completed: CompletedExecution) => unknown>>
}

function demanded<T>(value: T | undefined, path: string): T {
  assert(value !== undefined, `the scenario has no ${path}, which its plan needs`)
  return value
}
