/** Checks: the author's own questions to a completed execution. */
import { callAuthor, ScenarioError } from './call.ts'
import type { Check, CompletedExecution } from '../plan.ts'

/**
 * What it throws, and any answer but true and false, is a ScenarioError: the crew has no part in
 * it.
 */
export function createCheck(
  name: string,
  passes: (completed: CompletedExecution) => unknown,
): Check {
  const part = `checks.${name}`
  return {
    name,
    passes: (completed) =>
      strictBoolean(
        part,
        callAuthor(part, () => passes(completed)),
      ),
  }
}

function strictBoolean(part: string, result: unknown): boolean {
  if (typeof result === 'boolean') return result
  const problem = `a check must return true or false, not ${typeof result}`
  throw new ScenarioError(part, 'value', problem)
}
