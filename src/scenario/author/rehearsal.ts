/**
 * Tries the author's own functions before anything is sent: inputs and tags of the first arrival,
 * and the checks on made-up results.
 */
import { isPromise, letReject, thrownText, ScenarioError } from './call.ts'
import type { CompletedExecution, Plan } from '../plan.ts'

export interface Rehearsal {
  /** The mistakes that would also occur in the run. */
  mistakes: readonly ScenarioError[]
  /** The numbers of the made-up results that each check answered without an exception. */
  answered: readonly (readonly [check: string, numbers: readonly number[]])[]
}

/**
 * A check may legitimately throw for a made-up result, for example from `JSON.parse(output)`. An
 * undefined name and a promise are mistakes for any result; and so is, when `before` describes a
 * rehearsal elsewhere, an exception for a result that was answered there.
 */
export function rehearse(
  plan: Pick<Plan, 'inputs' | 'checks'>,
  before: Rehearsal['answered'] = [],
): Rehearsal {
  const mistakes: ScenarioError[] = []
  const inputs = tried(() => firstInputs(plan), mistakes) ?? {}
  const answered: [string, number[]][] = []
  const knownOf = new Map(before)
  for (const check of plan.checks) {
    const { name } = check
    const known = knownOf.get(name) ?? []
    const numbers: number[] = []
    const thrown = OUTPUTS.flatMap((output, number) => {
      const error = errorOf(() => check.passes(madeUp(inputs, output)), `checks.${name}`)
      if (error === null) numbers.push(number)
      return error !== null && (isSurelyWrong(error) || known.includes(number)) ? [error] : []
    })
    answered.push([name, numbers])
    mistakes.push(...thrown.slice(0, 1))
  }
  return { mistakes, answered }
}

/** Varied enough that a check that parses JSON gets beyond its first line. */
const OUTPUTS = ['Sample output.', '{"sample":"output"}', '[]']

function madeUp(inputs: CompletedExecution['inputs'], output: string): CompletedExecution {
  const executionTimeSeconds = 1
  const task = { taskId: 'sample_task', output, agent: 'Sample agent', executionTimeSeconds }
  return { index: 0, inputs, output, tasks: [task], executionTimeSeconds }
}

function isSurelyWrong({ kind, thrown }: ScenarioError): boolean {
  return kind === 'promise' || (thrown instanceof Error && thrown.name === 'ReferenceError')
}

/** The inputs of the first arrival, checked to be sendable. */
function firstInputs({ inputs: source }: Pick<Plan, 'inputs'>): Readonly<Record<string, unknown>> {
  const { inputs, members = {} } = source(0)
  demandJson(inputs)
  demandJson(members, 'kickoff')
  for (const entry of listed(source.material?.inputs)) demandJson(entry)
  return inputs
}

/** The entries of a list, which are known in advance. */
function listed(option: unknown): readonly unknown[] {
  if (Array.isArray(option)) return option
  const { list } = (option ?? {}) as { list?: unknown }
  return Array.isArray(list) ? list : []
}

/** Throws ScenarioError for values that JSON cannot represent. */
function demandJson(inputs: unknown, part = 'inputs'): void {
  for (const [name, value] of [...Object.entries(inputs ?? {}), [part, inputs]]) {
    if (isPromise(value)) {
      letReject(value)
      throw new ScenarioError(part, 'promise', `${JSON.stringify(name)} is a promise`)
    }
    try {
      JSON.stringify(value)
    } catch (error) {
      const problem = `${JSON.stringify(name)} cannot be sent as JSON: ${thrownText(error)}`
      throw new ScenarioError(part, 'value', problem)
    }
  }
}

function tried<T>(act: () => T, mistakes: ScenarioError[]): T | null {
  let result: T | null = null
  const error = errorOf(() => (result = act()), 'inputs')
  if (error !== null) mistakes.push(error)
  return result
}

function errorOf(act: () => unknown, part: string): ScenarioError | null {
  try {
    act()
    return null
  } catch (error) {
    return error instanceof ScenarioError
      ? error
      : new ScenarioError(part, 'threw', thrownText(error), error)
  }
}
