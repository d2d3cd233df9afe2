/** Inputs for a crew for which nobody has written any, and those that a user gives in a flag. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import { missingInputsOf } from '../../crew/inputs/words.ts'
import type { ListedInput } from '../../crew/observation.ts'

/** For each name, a value that contains the name: `{ "topic": "sample topic" }`. */
export function sampleInputs(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `sample ${name}`]))
}

/**
 * The names of the inputs that are made up when nobody gives any: not those that the crew calls
 * optional, and no `id` unless the crew requires it. A flow takes an `id` for that of an earlier
 * execution, whose record it overwrites.
 */
export function sampledNames(listed: readonly ListedInput[]): string[] {
  return listed
    .filter(({ name, required }) => required ?? name !== RECORD_ID)
    .map(({ name }) => name)
}

const RECORD_ID = 'id'

/** Names that may be suggested to a user. */
export function sampled(names: readonly string[]): string[] {
  return sampledNames(names.map((name) => ({ name, required: null })))
}

/** The names that the crew lists beyond `given`, without those that it calls optional. */
export function missingInputs(
  given: readonly string[],
  listed: readonly ListedInput[],
): MissingInputs {
  const known = new Set(given)
  const missing = listed.filter(({ name, required }) => required !== false && !known.has(name))
  return missingInputsOf(missing.map(({ name }) => name))
}
