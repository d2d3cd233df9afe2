/**
 * Defines a rule of the contract. A rule is one entry in the list of its family; nothing else needs
 * to know it.
 */
import type { Operation, WholeAnswer } from '../answer.ts'
import type {
  InputsObservation,
  KickoffObservation,
  Phase,
  StatusObservation,
} from '../observation.ts'
import type { Dialect } from '../wire.ts'
import type { StatusHistory } from './history.ts'

/**
 * The basis of a rule about a field that the interface describes without saying that it is always
 * present.
 */
export const NOT_SHOWN = 'which fields are mandatory is not shown (2.7)'

interface RuleText {
  /** In kebab case, stating what must hold: `running-has-progress`. */
  name: string
  /**
   * `documented`: the interface says so. `assumed`: it does not, but every known client relies on
   * it.
   */
  basis: 'documented' | 'assumed'
  /** The section of the interface document, or why we assume it. */
  source: string
  /** The requirement, as a sentence without a full stop. */
  requires: string
  /**
   * Set if a crew that violates the rule contradicts itself, whatever the interface says: in its
   * reports of an execution while it runs and when it ends, or of one that ended before, which only
   * confirmations poll. Rules about the form of an answer leave it out.
   */
  contradicts?: 'course' | 'end'
}

export interface InputsRule extends RuleText {
  /** What was seen if the rule is violated; undefined if it is met. */
  broken(seen: SeenAnswer<InputsObservation>): string | undefined
}

export interface KickoffRule extends RuleText {
  broken(seen: SeenAnswer<KickoffObservation>): string | undefined
}

export interface StatusRule extends RuleText {
  /** Missing: it applies to both dialects. Both apply to an answer in mixed dialects. */
  dialect?: Dialect
  /** The rule applies only to answers in these phases. */
  phases: readonly Phase[]
  broken(seen: StatusSeen): string | undefined
}

/** A single answer cannot violate this rule. */
export type RunRule = RuleText

export type Rule = InputsRule | KickoffRule | RunRule | StatusRule

/** Rules apply only to complete answers. */
interface SeenAnswer<Observation> {
  answer: WholeAnswer
  observed: Observation
}

export interface StatusSeen extends SeenAnswer<StatusObservation> {
  /** What earlier answers about this execution said. */
  history: StatusHistory
}

/** A rule as `crewload schema contract` lists it. */
export interface ContractRule extends RuleText {
  operation: Operation
  dialect: Dialect | 'both'
}
