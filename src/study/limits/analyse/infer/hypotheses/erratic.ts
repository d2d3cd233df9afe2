/** Refusals at random: each request is refused with the same chance, whatever came before. */
import type { Group } from '../evidence/groups.ts'
import type { Hypothesis, Model } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'

/** It predicts no outcome, so that no plan is judged by it. */
const unpredictable: Model<null> = {
  fresh: () => null,
  copy: () => null,
  timeOf: () => -Infinity,
  advance: () => {},
  used: () => 0,
}

export const erratic: Hypothesis = {
  name: 'refusals at random',
  kind: 'unknown',
  aligned: null,
  countsRefused: false,
  prior: -2,
  has: [],
  model: () => unpredictable,
  seeds: () => [parametersOf({})],
  fitOf: (groups) => {
    const refused = groups.reduce((sum, group) => sum + group.refused, 0)
    const all = groups.reduce((sum, group) => sum + group.accepted + group.refused, 0)
    const chance = (refused + 0.5) / (all + 1)
    return groups.reduce((sum, group) => sum + binomialFit(group, chance), 0)
  },
}

/** Logarithm of the chance that so many of a group are refused. */
function binomialFit({ accepted, refused }: Group, chance: number): number {
  let fit = refused * Math.log(chance) + accepted * Math.log(1 - chance)
  for (let i = 1; i <= Math.min(accepted, refused); i++) {
    fit += Math.log((accepted + refused + 1 - i) / i)
  }
  return fit
}
