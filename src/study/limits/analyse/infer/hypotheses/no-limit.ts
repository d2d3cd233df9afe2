/** Targets without a limiter: everything is let in, or refusals come at random. */
import type { RequestGroup } from '../evidence/groups.ts'
import type { Hypothesis } from './hypothesis.ts'
import { modelOf, parametersOf } from './hypothesis.ts'

/** What it loses where headers count what is left, and for each count: it explains none. */
const COUNTS = 12
const COUNTED = 3

/** For refusals at random too: it predicts no outcome, so that no plan is judged by it. */
const unlimited = modelOf({
  memoryMs: 0,
  fresh: () => ({}),
  copy: () => ({}),
  timeOf: () => -Infinity,
  advance: () => {},
  used: () => 0,
})

export const erratic: Hypothesis = {
  name: 'refusals at random',
  kind: 'unknown',
  aligned: null,
  countsRefused: false,
  prior: -2,
  has: [],
  model: () => unlimited,
  seeds: () => [parametersOf({})],
  fitOf: (groups) => {
    const refused = groups.reduce((sum, group) => sum + group.refused, 0)
    const all = groups.reduce((sum, group) => sum + group.accepted + group.refused, 0)
    const chance = (refused + 0.5) / (all + 1)
    const counted = groups.filter(({ left }) => left !== null).length
    const unexplained = counted === 0 ? 0 : COUNTS + COUNTED * counted
    return groups.reduce((sum, group) => sum + binomialFit(group, chance), -unexplained)
  },
}

/** Logarithm of the chance that so many of a group are refused. */
function binomialFit({ accepted, refused }: RequestGroup, chance: number): number {
  let fit = refused * Math.log(chance) + accepted * Math.log(1 - chance)
  for (let i = 1; i <= Math.min(accepted, refused); i++) {
    fit += Math.log((accepted + refused + 1 - i) / i)
  }
  return fit
}

export const none: Hypothesis = {
  name: 'none',
  kind: 'none',
  aligned: null,
  countsRefused: false,
  prior: 0,
  has: [],
  model: () => unlimited,
  seeds: () => [parametersOf({})],
}
