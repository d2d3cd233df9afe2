/**
 * Whether a bucket holds back what comes faster than its rate, where service varies, so that the
 * answers of a burst are not spread evenly: those that had to wait for longer take longer.
 */
import { meanOf } from '../../../../result/statistics/moments.ts'
import type { Particle } from './search/pool.ts'
import { advance } from './search/advance.ts'
import type { Group, Grouped } from './evidence/group.ts'
import type { Hypothesis } from './hypotheses/hypothesis.ts'

/**
 * Trips grow by as much as the predicted wait does where requests are held back, and not at all
 * elsewhere. The slope may be off by this much, and by so many standard errors.
 */
const NEAR = 0.1
const CLEAR = 4
/** With a larger error, the two slopes cannot be told apart. */
const MOST_ERROR = 0.2
/** Fewer groups tell no slope. */
const LEAST_GROUPS = 5

/** False where it cannot be told. */
export function holdsBack(hypothesis: Hypothesis, best: Particle, grouped: Grouped): boolean {
  const waits = waitsOf(hypothesis, best, grouped)
  if (waits.length < LEAST_GROUPS) return false
  const { slope, error } = weightedSlope(waits)
  return slope > CLEAR * error && Math.abs(slope - 1) < NEAR + CLEAR * error && error < MOST_ERROR
}

/** The accepted requests of one group, in the mean. */
interface Wait {
  predictedMs: number
  tripMs: number
  /** How many they are. */
  weight: number
}

function waitsOf(
  hypothesis: Hypothesis,
  { parameters }: Particle,
  { groups, timing, promise }: Grouped,
): Wait[] {
  const { limit, windowMs } = parameters
  const model = hypothesis.model(parameters, timing.sigmaMs)
  const state = model.fresh()
  return groups.flatMap((group): Wait[] => {
    const { firstMs, accepted } = group
    const tokens = Math.min(limit, 1 + (firstMs - model.timeOf(state, 1, group)) / windowMs)
    advance(model, state, group, promise)
    if (accepted === 0 || group.isOthers) return []
    const predictedMs = meanWaitMs(group, (limit - tokens) * windowMs, windowMs)
    const tripMs = meanOf(group.receivedMs) - meanOf(group.arrivalsMs)
    return [{ predictedMs, tripMs, weight: accepted }]
  })
}

/** `busyMs`: for so long the bucket is still busy with those before the group. */
function meanWaitMs({ firstMs, arrivalsMs }: Group, busyMs: number, windowMs: number): number {
  let freeMs = firstMs + busyMs
  const waits = arrivalsMs.map((ms) => {
    const waitMs = Math.max(0, freeMs - ms)
    freeMs = ms + waitMs + windowMs
    return waitMs
  })
  return meanOf(waits)
}

/** Least squares, and the standard error of the slope from the residuals. */
function weightedSlope(waits: readonly Wait[]): { slope: number; error: number } {
  const total = waits.reduce((sum, { weight }) => sum + weight, 0)
  const mean = (of: (wait: Wait) => number): number =>
    waits.reduce((sum, wait) => sum + wait.weight * of(wait), 0) / total
  const x = mean(({ predictedMs }) => predictedMs)
  const y = mean(({ tripMs }) => tripMs)
  const variance = mean(({ predictedMs }) => (predictedMs - x) ** 2)
  if (variance === 0) return { slope: 0, error: 0 }
  const slope = mean(({ predictedMs, tripMs }) => (predictedMs - x) * (tripMs - y)) / variance
  const left = mean(({ predictedMs, tripMs }) => (tripMs - y - slope * (predictedMs - x)) ** 2)
  return { slope, error: Math.sqrt(left / variance / (waits.length - 2)) }
}
