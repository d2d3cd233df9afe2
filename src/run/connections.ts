/**
 * Divides the connections of a run among its instances, and says how many each opens in advance.
 */
import type { InstanceShare } from '../engine/instance-share.ts'
import { shareOf } from '../engine/instance-share.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import type { HttpPlan } from '../scenario/plan.ts'

type ConnectionLimits = Pick<HttpPlan, 'maxConnections' | 'preOpenConnections'>

/** Connections are one limit of the whole run, divided evenly: each instance gets at least one. */
export function shareOfConnections<Http extends ConnectionLimits>(
  http: Http,
  share: InstanceShare,
): Http {
  return {
    ...http,
    maxConnections: shareOf(http.maxConnections, share),
    preOpenConnections: Math.ceil(http.preOpenConnections / share.instances),
  }
}

/**
 * The number of connections that the instance of this line opened before its first request; k6
 * opens none in advance.
 */
export function openedAhead({ engine, plan, instance, instances }: RunLine): number {
  const limits = limitsIn(plan)
  if (engine === 'k6' || limits === null) return 0
  const { maxConnections, preOpenConnections } = shareOfConnections(limits, { instance, instances })
  return Math.min(maxConnections, preOpenConnections)
}

/** Null for a plan that does not say. */
function limitsIn(plan: unknown): ConnectionLimits | null {
  const { http } = plan as { http?: Partial<Record<keyof ConnectionLimits, unknown>> }
  const { maxConnections, preOpenConnections } = http ?? {}
  return typeof maxConnections === 'number' && typeof preOpenConnections === 'number'
    ? { maxConnections, preOpenConnections }
    : null
}
