/**
 * Every rule of the contract by name. What checks answers does without this list, and so does what
 * runs inside k6.
 */
import { STATUS_RULES } from './contract.ts'
import { INPUTS_RULES } from './inputs.ts'
import { ID_UNIQUE, KICKOFF_RULES } from './kickoff.ts'
import type { ContractRule, Rule } from './rule.ts'

/** All rules, in the order in which `crewload schema contract` lists them. */
export const CONTRACT_RULES: readonly ContractRule[] = [
  ...INPUTS_RULES,
  ...KICKOFF_RULES,
  ID_UNIQUE,
  ...STATUS_RULES,
].map(listed)

function listed(rule: Rule): ContractRule {
  const { name, operation, basis, source, requires, contradicts } = rule
  const dialect = rule.operation === 'status' ? rule.dialect : 'both'
  const always = { name, operation, dialect, basis, source, requires }
  return contradicts === undefined ? always : { ...always, contradicts }
}
