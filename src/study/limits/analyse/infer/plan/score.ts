/**
 * What a plan is worth: how much its outcome would tell about the kind, and about the parameters,
 * in nats. A particle is asked twice with different jitter: where it contradicts itself, its
 * prediction is noise.
 */
import type { Random } from '../../../../../base/random.ts'
import type { GroupTiming } from '../evidence/timing.ts'
import type { Model } from '../hypotheses/hypothesis.ts'
import type { ExperimentPlan } from './simulate.ts'
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

/** So much of all weight an outcome is given that no explanation has predicted. */
const UNFORESEEN = 0.02

export function worthOf(
  plan: ExperimentPlan,
  { candidates, isCounted }: { candidates: readonly Candidate[]; isCounted: boolean },
  timing: GroupTiming,
  random: Random,
): Worth {
  const predictions = candidates.map(({ model, state, kind, weight, limit }): Predicted => {
    const counted = isCounted ? limit : 0
    const first = outcomeOf(model, state, plan, timing, random, counted)
    const second = outcomeOf(model, state, plan, timing, random, counted)
    return { kind, weight, first, second }
  })
  return { kindNats: kindNatsOf(predictions), parameterNats: parameterNatsOf(predictions) }
}

/** What a candidate predicts, twice. */
interface Predicted {
  kind: number
  weight: number
  first: number
  second: number
}

/**
 * How much better the kind behind a second prediction is guessed by who predicted the same at first
 * than without it, a lower bound of what they have in common (Barber and Agakov, 2003): outcomes
 * that are all different because each is noise tell nothing.
 */
function kindNatsOf(predictions: readonly Predicted[]): number {
  const kinds = new Map<number, number>()
  const ofOutcome = new Map<number, number>()
  const ofBoth = new Map<number, Map<number, number>>()
  for (const { kind, weight, first } of predictions) {
    add(kinds, kind, weight)
    add(ofOutcome, first, weight)
    const ofKind = ofBoth.get(kind) ?? new Map<number, number>()
    ofBoth.set(kind, ofKind)
    add(ofKind, first, weight)
  }
  let nats = 0
  for (const { kind, weight, second } of predictions) {
    const share = kinds.get(kind)!
    const both = ofBoth.get(kind)!.get(second) ?? 0
    const all = ofOutcome.get(second) ?? 0
    nats += weight * Math.log((both / share + UNFORESEEN) / (all + UNFORESEEN))
  }
  return Math.max(0, nats)
}

/**
 * By how much likelier the two predictions of one candidate agree than those of two: the difference
 * of Rényi entropies of second order.
 */
function parameterNatsOf(predictions: readonly Predicted[]): number {
  const ofOutcome = new Map<number, number>()
  let same = 0
  for (const { weight, first, second } of predictions) {
    add(ofOutcome, first, weight)
    if (first === second) same += weight
  }
  let others = 0
  for (const { weight, second } of predictions) others += weight * (ofOutcome.get(second) ?? 0)
  return Math.max(0, Math.log((same + UNFORESEEN) / (others + UNFORESEEN)))
}

function add(sums: Map<number, number>, key: number, weight: number): void {
  sums.set(key, (sums.get(key) ?? 0) + weight)
}
