/** Student's t distribution. */
import { betaQuantile } from './beta.ts'

/**
 * The t that a share `confidence` of the distribution lies within, on both sides of 0; at least one
 * degree of freedom.
 */
export function studentT(degrees: number, confidence = 0.95): number {
  const share = betaQuantile(confidence, 0.5, degrees / 2)
  return Math.sqrt((degrees * share) / (1 - share))
}
