/** Two limits of the same operation: a request is let in by both, or counted by neither. */
import type { Hypothesis, Model, Parameters } from './hypothesis.ts'

interface PairState {
  one: unknown
  other: unknown
}

/** A refusal is put down to the limit that would refuse for longer. */
function both(one: Model<unknown>, other: Model<unknown>): Model<PairState> {
  return {
    memoryMs: Math.max(one.memoryMs, other.memoryMs),
    raises: false,
    turnMs: null,
    asksLeaves: false,
    fresh: () => ({ one: one.fresh(), other: other.fresh() }),
    copy: (state) => ({ one: one.copy(state.one), other: other.copy(state.other) }),
    timeOf: (state, k, group) =>
      Math.max(one.timeOf(state.one, k, group), other.timeOf(state.other, k, group)),
    advance: (state, group, refused) => {
      const next = group.accepted + 1
      const isOne = one.timeOf(state.one, next, group) >= other.timeOf(state.other, next, group)
      one.advance(state.one, group, isOne ? refused : 0)
      other.advance(state.other, group, isOne ? 0 : refused)
    },
    used: (state, firstMs) => other.used(state.other, firstMs),
  }
}

/** `other` beside a limit that is known. */
export function beside(
  known: { hypothesis: Hypothesis; parameters: Parameters },
  other: Hypothesis,
): Hypothesis {
  return {
    ...other,
    name: `${other.name} beside ${known.hypothesis.name}`,
    model: (parameters, sigmaMs) =>
      both(known.hypothesis.model(known.parameters, sigmaMs), other.model(parameters, sigmaMs)),
  }
}
