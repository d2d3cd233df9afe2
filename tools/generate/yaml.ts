/** Values in the YAML style of the profiles, on one line. */
import { stringify } from 'yaml'

/**
 * Writes a value as YAML on one line:
 * `{ name: drip, drip: { pieces: 5, over: 200ms }, operations: [kickoff, status] }`.
 */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value !== 'object' || value === null) return scalar(value)
  const entries = Object.entries(value).map(([key, inner]) => `${scalar(key)}: ${flow(inner)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/**
 * Writes a scalar, quoted when YAML 1.1, which many editors use, would read a word as something
 * else.
 */
function scalar(value: unknown): string {
  return stringify(value, { version: '1.1', singleQuote: true, lineWidth: 0 }).trim()
}
