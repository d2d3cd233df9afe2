/** Checks: the author's own tests of a completed execution. */
import { callAuthor, ScenarioError } from './call.ts'
import type { Check, CompletedExecution } from '../plan.ts'

/**
 * An exception, and any result other than true and false, is a ScenarioError, for which the crew is
 * not responsible.
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
