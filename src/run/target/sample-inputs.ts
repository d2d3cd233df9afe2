/** Inputs for a crew for which nobody has written any, and those that a user gives in a flag. */
import { UserError } from '../../base/mistakes.ts'
import { namesWords } from './foreign-names.ts'

/** For each name, a value that contains the name: `{ "topic": "sample topic" }`. */
export function sampleInputs(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `sample ${name}`]))
}

/** What is wrong where the crew expects more inputs than `given`; null where it does not. */
export function missingInputs(
  given: readonly string[],
  expected: readonly string[],
): string | null {
  const missing = expected.filter((name) => !given.includes(name))
  if (missing.length === 0) return null
  const names = namesWords(missing, (name) => JSON.stringify(name))
  return `the crew also expects ${names}, and every kickoff would get 422`
}

/** Throws UserError where the crew expects more than `--inputs` gives. */
export function demandFlaggedInputs(
  inputs: Readonly<Record<string, unknown>>,
  expected: readonly string[],
): void {
  const problem = missingInputs(Object.keys(inputs), expected)
  if (problem === null) return
  throw new UserError({ source: '--inputs', path: '', found: JSON.stringify(inputs), problem })
}
