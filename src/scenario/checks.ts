/** Checks: the author's own questions to a completed execution. */
import type { Check, CompletedExecution } from './plan.ts'

/** What it throws, and any answer but true and false, is told in the record. */
export function createCheck(
  name: string,
  passes: (completed: CompletedExecution) => unknown,
): Check {
  return { name, passes: (completed) => strictBoolean(passes(completed)) }
}

/** A promise would pass every time: only true and false are answers. */
function strictBoolean(result: unknown): boolean {
  if (typeof result === 'boolean') return result
  const found = result instanceof Promise ? 'a promise' : typeof result
  throw new TypeError(`a check must return true or false, not ${found}`)
}
