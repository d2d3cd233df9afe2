/** The contract table: which rules were broken, how often, with the first example each. */
import type { ContractResult } from '../document.ts'
import type { Observations } from '../observations.ts'
import { CONTRACT_RULES } from '../../crew/contract/rules.ts'
import type { ContractRule } from '../../crew/contract/rule.ts'
import { unsentOf, warmUpArrivals } from '../ending/outcome-counts.ts'
import { surelyAbove } from '../statistics/shares.ts'

/**
 * Beyond chance: the whole 95 % interval of the share of executions that violated it lies above
 * this.
 */
const HABIT = 0.05

/**
 * The rules that were broken. `habit` makes a problem of one: it is a documented rule, or an
 * assumed one by which the crew contradicts itself, and a large share of executions violated it.
 * Null where a threshold of the scenario judges it. Rules about the form of an answer on which the
 * interface is silent are never problems.
 */
export function brokenRules(
  { rules }: Pick<ContractResult, 'rules'>,
  observations: ContractSources,
  thresholds: readonly { metric: string }[],
) {
  const isJudged = (metric: string): boolean => thresholds.some((each) => each.metric === metric)
  const judged = {
    assumed: isJudged('contract.violations'),
    documented: isJudged('contract.violations') || isJudged('contract.documented'),
  }
  return rules.map(({ example: { seen }, ...broken }) => {
    const { rule, basis, count } = broken
    return { ...broken, seen, habit: judged[basis] ? null : habitOf(rule, count, observations) }
  })
}

type ContractSources = Pick<Observations, 'window' | 'warmUpOutcomes' | 'contract'>

interface RuleHabit {
  occasions: number
  per: 'execution' | 'poll-after-end'
}

/**
 * Null if it is rare, or says nothing about the crew's work. A rule may be violated at most once
 * per execution that was sent, warm-up included, and once per poll after its end.
 */
function habitOf(name: string, count: number, seen: ContractSources): RuleHabit | null {
  const rule = ruleOf(name)
  if (rule === undefined || rule.operation === 'inputs') return null
  const { contradicts, basis } = rule
  if (basis === 'assumed' && contradicts === undefined) return null
  const { window, warmUpOutcomes, contract } = seen
  const warmUp = warmUpArrivals(seen) - unsentOf({ dropped: 0, notReached: 0, ...warmUpOutcomes })
  const executions = window.arrivals + window.open - unsentOf(window.outcomes) + warmUp
  const isAfterEnd = contradicts === 'end'
  const occasions = Math.max(count, isAfterEnd ? contract.confirmations : executions)
  if (!surelyAbove(count, occasions, HABIT)) return null
  return { occasions, per: isAfterEnd ? 'poll-after-end' : 'execution' }
}

/**
 * Completed executions whose final output is missing or empty: a problem where it is a habit, or
 * nothing else was seen, because success was reported for no result.
 */
export function emptyResults({ window }: Pick<Observations, 'window'>) {
  const { withoutOutput } = window
  const { completed } = window.outcomes
  if (withoutOutput === 0) return null
  const isHabit = withoutOutput === completed || surelyAbove(withoutOutput, completed, HABIT)
  return { completed, withoutOutput, isHabit }
}

/** A damaged journal may name a rule that is none: it cannot count as documented. */
export function basisOf(rule: string): Pick<ContractRule, 'basis' | 'source'> {
  return ruleOf(rule) ?? { basis: 'assumed', source: 'an unknown rule' }
}

/** Undefined for a name that is none of a rule. */
function ruleOf(rule: string): ContractRule | undefined {
  return CONTRACT_RULES.find(({ name }) => name === rule)
}

/**
 * Counts violations in all answers, including those of the warm-up, because a broken rule does not
 * depend on load. The most frequent rule comes first.
 */
export function contractResult({ contract }: Pick<Observations, 'contract'>): ContractResult {
  const rules = [...contract.rules].map(([rule, { count, example }]) => {
    const { basis, source } = basisOf(rule)
    const { kickoffId, index, seen } = example
    return { rule, basis, source, count, example: { kickoffId, index, seen } }
  })
  rules.sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1))
  return { answersChecked: contract.answers, rules }
}
