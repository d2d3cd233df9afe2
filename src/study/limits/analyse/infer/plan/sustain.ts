/** One steady client, within the limit that was found: is it ever refused by another one? */
import type { ExperimentPlan, SimulatedStep } from './simulate.ts'

/** Share of the safe rate, so that the limit that is known does not refuse. */
const SHARE = 0.9
/** Fewer requests beyond what a burst has shown tell nothing new. */
const LEAST = 30

/**
 * `startMs`: when the limit is unused. Null where the time or the requests that are left do not go
 * beyond what is known.
 */
export function sustainPlan(
  safePerSecond: number,
  startMs: number,
  { mostMs, requestsLeft }: { mostMs: number; requestsLeft: number },
): ExperimentPlan | null {
  const everyMs = 1_000 / (SHARE * safePerSecond)
  const count = Math.min(Math.floor(mostMs / everyMs), requestsLeft)
  if (count < LEAST) return null
  const steps = Array.from({ length: count }, (_, i): SimulatedStep => {
    return { afterMs: i * everyMs, count: 1, spanMs: 0 }
  })
  return { startMs, steps, until: 'refused', isDrain: false }
}
