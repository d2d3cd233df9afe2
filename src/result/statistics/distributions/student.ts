/** Student's t distribution. */
import { betaQuantile } from './beta.ts'

/**
 * The t that a share `confidence` of the distribution lies within, on both sides of 0; at least one
 * degree of freedom.
 */
export function studentT(degrees: number, confidence = 0.95): number {
  const key = `${degrees} ${confidence}`
  const found = known.get(key) ?? computedT(degrees, confidence)
  if (known.size === MOST_KNOWN) known.clear()
  known.set(key, found)
  return found
}

/** One run asks for the same few values thousands of times. */
const known = new Map<string, number>()
const MOST_KNOWN = 1_000

function computedT(degrees: number, confidence: number): number {
  const share = betaQuantile(confidence, 0.5, degrees / 2)
  return Math.sqrt((degrees * share) / (1 - share))
}
