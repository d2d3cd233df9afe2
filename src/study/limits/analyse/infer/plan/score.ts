/**
 * What a plan is worth: how much its outcome would tell about the kind, and about the parameters,
 * in nats. A particle is asked twice with different jitter: where it contradicts itself, its
 * prediction is noise.
 */
import type { Random } from '../../../../../base/random.ts'
import type { Timing } from '../evidence/timing.ts'
import type { Model } from '../hypotheses/hypothesis.ts'
import type { Plan } from './simulate.ts'
import { outcomeOf } from './simulate.ts'

/** A way to explain the evidence, and where it stands now. */
export interface Candidate {
  model: Model<unknown>
  state: unknown
  /** A number for each hypothesis. */
  kind: number
  /** All sum up to 1. */
  weight: number
  limit: number
}

export interface Worth {
  kindNats: number
  parameterNats: number
}

export function worthOf(
  plan: Plan,
  { candidates, isCounted }: { candidates: readonly Candidate[]; isCounted: boolean },
  timing: Timing,
  random: Random,
): Worth {
  const outcomes = new Map<number, number>()
  const kinds = new Map<number, Map<number, number>>()
  let noise = 0
  for (const { model, state, kind, weight, limit } of candidates) {
    const counted = isCounted ? limit : 0
    const first = outcomeOf(model, state, plan, timing, random, counted)
    const second = outcomeOf(model, state, plan, timing, random, counted)
    const ofKind = kinds.get(kind) ?? new Map<number, number>()
    kinds.set(kind, ofKind)
    for (const outcome of [first, second]) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + weight / 2)
      ofKind.set(outcome, (ofKind.get(outcome) ?? 0) + weight / 2)
    }
    if (first !== second) noise += weight * Math.LN2
  }
  const entropy = entropyOf(outcomes)
  const within = [...kinds.values()].reduce((sum, ofKind) => sum + entropyOf(ofKind), 0)
  return {
    kindNats: Math.max(0, entropy - within),
    parameterNats: Math.max(0, entropy - noise),
  }
}

/** Of weights that sum up to a share; the share's own part of a conditional entropy. */
function entropyOf(weights: ReadonlyMap<number, number>): number {
  let total = 0
  for (const weight of weights.values()) total += weight
  let entropy = 0
  for (const weight of weights.values()) {
    if (weight > 0) entropy -= weight * Math.log(weight / total)
  }
  return entropy
}
