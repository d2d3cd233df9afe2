/** A target that was lost during the run: the observations of all instances together. */
import type { TargetLoss } from '../../scenario/target-loss.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { TargetLossResult } from '../document.ts'
import { reasonOf } from '../sentence-tables.ts'
import type { RunReason } from '../sentences/reasons.ts'
import { REASONS } from '../sentences/reasons.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { Observations } from '../observations.ts'

/**
 * The way to the target, or our permission to use it, is gone, whatever the state of the target.
 */
const LOCKED_OUT: ReadonlySet<AnswerCode> = new Set([401, 403, 'dns', 'tls'])

/**
 * A target that could not be reached at all, or that denied us access: then nothing was measured.
 */
export function accessReasons(
  { requests, probes }: Observations,
  loss: TargetLossResult | null,
): readonly RunReason[] {
  if (loss !== null && (loss.state === 'refused' || LOCKED_OUT.has(loss.last))) {
    return [targetLossReason(loss)]
  }
  if (probes.some(({ usable }) => usable)) return []
  // Seen by the probes at the end: too late, or too little, for the circuit.
  const locked = probes.find(({ last }) => LOCKED_OUT.has(last))?.last
  if (locked !== undefined) {
    return [reasonOf(REASONS, 'target-refused', { answer: locked, loss: null })]
  }
  const { kickoff, status, afterLoss } = requests
  const last = probes.at(-1)?.last ?? [...kickoff.byClass.keys()].at(-1)
  const asked = kickoff.sent + status.sent + kickoff.errors
  if (asked === 0 || afterLoss.everAnswered || last === undefined) return []
  const facts = { answer: last, requests: kickoff.requests + status.requests }
  return [reasonOf(REASONS, 'target-unreachable', facts)]
}

/** `losses` ordered by time; null for none. */
export function targetLossResult(losses: readonly TargetLoss[]): TargetLossResult | null {
  const first = losses[0]
  const last = losses.toSorted((a, b) => a.untilMicros - b.untilMicros).at(-1)
  if (first === undefined || last === undefined) return null
  return {
    state: losses.every(({ state }) => state === 'refused') ? 'refused' : 'dead',
    scope: losses.some(({ scope }) => scope === 'everything') ? 'everything' : 'kickoffs',
    sinceMs: first.sinceMicros / MICROS_PER_MS,
    untilMs: last.untilMicros / MICROS_PER_MS,
    requests: losses.reduce((sum, { requests }) => sum + requests, 0),
    first: first.first,
    last: last.last,
    instances: losses.length,
  }
}

/** Why this ended the run. */
export function targetLossReason(loss: TargetLossResult): RunReason {
  return loss.state === 'refused'
    ? reasonOf(REASONS, 'target-refused', { answer: loss.last, loss })
    : reasonOf(REASONS, 'target-dead', { loss })
}
