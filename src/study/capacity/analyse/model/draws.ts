/**
 * Draws the random numbers of a simulation once. All rates, and all systems that are compared, use
 * the same ones, so that results differ because of the systems and not by chance (common random
 * numbers; Law, "Simulation Modeling and Analysis", section 11.2).
 */
import type { Random } from '../../../../base/random.ts'

export interface Draws {
  /**
   * The gaps between arrivals: exponential, with a mean of exactly 1. Near saturation the drawn
   * rate decides, and with a million draws it would be off by a thousandth.
   */
  gaps: Float64Array
  /** Uniform numbers in (0, 1) that select the service time and the kickoff latency. */
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
