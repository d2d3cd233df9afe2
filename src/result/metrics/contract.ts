/** The contract table: which rules were broken, how often, with the first example each. */
import type { ContractResult } from '../document.ts'
import type { Observations } from '../observations.ts'
import { CONTRACT_RULES } from '../../crew/contract/rules.ts'
import type { ContractRule } from '../../crew/contract/rule.ts'

export interface RuleBasis {
  basis: 'documented' | 'assumed'
  source: string
}

/** A damaged journal may name a rule that is none: it cannot count as documented. */
export function basisOf(rule: string): RuleBasis {
  const known = ruleOf(rule)
  return known === undefined
    ? { basis: 'assumed', source: 'an unknown rule' }
    : { basis: known.basis, source: known.source }
}

/** Undefined for a name that is none of a rule. */
export function ruleOf(rule: string): ContractRule | undefined {
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
  return {
    answersChecked: contract.answers,
    violations: sum(rules),
    documentedViolations: sum(rules.filter(({ basis }) => basis === 'documented')),
    rules,
  }
}

function sum(rules: readonly { count: number }[]): number {
  return rules.reduce((total, { count }) => total + count, 0)
}
