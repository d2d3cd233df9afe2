/**
 * The random numbers of a simulation, drawn once: each rate, and each system that is compared with
 * another, gets the same ones, so that a difference is theirs and not one of luck (common random
 * numbers; Law, "Simulation Modeling and Analysis", section 11.2).
 */
import type { Random } from '../../../../base/random.ts'

export interface Draws {
  /**
   * Gaps between arrivals, exponential, of exactly 1 in the mean: near saturation the rate that was
   * drawn decides, and would be off by a thousandth for a million.
   */
  gaps: Float64Array
  /** Uniform in (0, 1): which service time, and which kickoff latency. */
  service: Float64Array
  kickoff: Float64Array
}

export function drawsOf(count: number, random: Random): Draws {
  const gaps = new Float64Array(count)
  const service = new Float64Array(count)
  const kickoff = new Float64Array(count)
  const [ofGaps, ofService, ofKickoff] = ['gaps', 'service', 'kickoff'].map((name) =>
    random.fork(name),
  )
  let sum = 0
  for (let i = 0; i < count; i++) {
    gaps[i] = ofGaps!.exponential()
    sum += gaps[i]!
    service[i] = ofService!.next()
    kickoff[i] = ofKickoff!.next()
  }
  for (let i = 0; i < count; i++) gaps[i]! *= count / sum
  return { gaps, service, kickoff }
}
