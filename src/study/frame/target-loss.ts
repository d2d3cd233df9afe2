/** Decides when a study gives its target up: it fails for too long, without one usable answer. */
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { CircuitPolicy } from '../../scenario/plan.ts'

/** This many failures in a row, without one answer, are more than failures of single requests. */
export const LOST_AFTER = 5

/**
 * The time that a scenario allows by default, which is longer than a server takes to restart behind
 * a proxy.
 */
const LOST_AFTER_MICROS = 30 * MICROS_PER_SECOND

/**
 * The circuit of a study's run, from that of its scenario. It is never off, because a study learns
 * nothing from a target that is gone, and can be resumed; and few executions in flight, polled
 * every quarter of a minute, open it as well.
 */
export function studyCircuit(circuit: CircuitPolicy | null): CircuitPolicy {
  const { afterMicros = LOST_AFTER_MICROS, requests = LOST_AFTER } = circuit ?? {}
  return { afterMicros, requests: Math.min(requests, LOST_AFTER) }
}
