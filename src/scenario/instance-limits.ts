/**
 * Which limits of a whole run are too small to be divided among its instances: a share of less than
 * one would mean none, or in total more than the limit.
 */
import type { Plan } from './plan.ts'

type Dealt = Pick<Plan, 'arrivals' | 'admission' | 'http'>

/**
 * One sentence for each limit that is too small to give every instance a share; `each` names an
 * instance: `worker`, `VU`.
 */
export function limitsTooSmall(
  { arrivals, admission, http }: Dealt,
  instances: number,
  each: 'worker' | 'VU',
): string[] {
  const limits: [string, number][] = [
    ['arrivals.clients', arrivals.kind === 'closed' ? arrivals.clients : Infinity],
    ['admission.maxInFlight', admission.maxInFlight ?? Infinity],
    ['connections.max', http.maxConnections],
  ]
  return limits
    .filter(([, most]) => most < instances)
    .map(([name, most]) => `each ${each} needs its part of ${name}, which is ${most}`)
}
