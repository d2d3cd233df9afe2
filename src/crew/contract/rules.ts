/**
 * Every rule of the contract by name. What checks answers does without this list, and so does what
 * runs inside k6.
 */
import type { Operation } from '../answer.ts'
import type { Dialect } from '../wire.ts'
import { STATUS_RULES } from './contract.ts'
import { ID_UNIQUE, INPUTS_RULES, KICKOFF_RULES } from './kickoff.ts'
import type { ContractRule, Rule } from './rule.ts'

/** All rules, in the order in which `crewload schema contract` lists them. */
export const CONTRACT_RULES: readonly ContractRule[] = [
  ...INPUTS_RULES.map((rule) => listed(rule, 'inputs')),
  ...[...KICKOFF_RULES, ID_UNIQUE].map((rule) => listed(rule, 'kickoff')),
  ...STATUS_RULES.map((rule) => listed(rule, 'status')),
]

function listed(rule: Rule & { dialect?: Dialect }, operation: Operation): ContractRule {
  const { name, dialect = 'both', basis, source, requires, contradicts } = rule
  const always: ContractRule = { name, operation, dialect, basis, source, requires }
  return contradicts === undefined ? always : { ...always, contradicts }
}
