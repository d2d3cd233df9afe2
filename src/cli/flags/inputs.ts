/** `--inputs`: the inputs of a kickoff as JSON. */
import { UserError } from '../../base/mistakes.ts'

/** Throws UserError for text that is not a JSON object. */
export function parseInputs(text: string, source = '--inputs'): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {
    // reported below, like any other text that is not an object
  }
  throw new UserError({
    source,
    path: '',
    found: text.slice(0, 80),
    problem: 'expected a JSON object like {"topic":"AI"}',
  })
}
