/**
 * Which limits of a whole run are too small to be dealt out: a part of nothing would be none, or
 * more than the whole.
 */
import type { Plan } from './plan.ts'

type Dealt = Pick<Plan, 'arrivals' | 'admission' | 'http'>

/**
 * A sentence for each limit of which not every instance would have a part; `each` names an
 * instance: `worker`, `VU`.
 */
export function tooFew(
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
