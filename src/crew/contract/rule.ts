/**
 * What a rule of the contract is. A rule is one entry of one family's list; nothing else has to
 * know it.
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

export interface Violation {
  /** A rule's name in the contract. */
  rule: string
  /** What was seen, shortened and token-free. */
  example: string
}

/** Of a field that the interface describes, but does not say to be always there. */
export const NOT_SHOWN = 'which fields are mandatory is not shown (2.7)'

interface RuleText {
  /** In kebab case, saying what must hold: `running-has-progress`. */
  name: string
  /**
   * `documented`: the interface says so. `assumed`: it is silent, and this is how every known
   * client reads it.
   */
  basis: 'documented' | 'assumed'
  /** Section of the interface document, or why we assume it. */
  source: string
  /** What must hold, as a sentence without a full stop. */
  requires: string
  /**
   * Where a crew that breaks it contradicts itself, whatever the interface says: in what it tells
   * of an execution while it runs and when it ends, or of one that ended before, which only
   * confirmations ask for. Rules for the form of an answer have none.
   */
  contradicts?: 'course' | 'end'
}

export interface InputsRule extends RuleText {
  operation: 'inputs'
  /** What was seen when the rule is broken; undefined when it is kept. */
  broken(seen: Seen<InputsObservation>): string | undefined
}

export interface KickoffRule extends RuleText {
  operation: 'kickoff'
  broken(seen: Seen<KickoffObservation>): string | undefined
}

export interface StatusRule extends RuleText {
  operation: 'status'
  /** The dialect that the rule speaks of; an answer in mixed dialects is held to both. */
  dialect: Dialect | 'both'
  /** It judges answers in these phases alone. */
  phases: readonly Phase[]
  broken(seen: StatusSeen): string | undefined
}

/** No single answer breaks it. */
export interface RunRule extends RuleText {
  operation: 'kickoff'
}

export type Rule = InputsRule | KickoffRule | RunRule | StatusRule

/** Rules judge answers that came whole, and no others. */
interface Seen<Observation> {
  answer: WholeAnswer
  observed: Observation
}

export interface StatusSeen extends Seen<StatusObservation> {
  /** What earlier answers of this execution said. */
  history: StatusHistory
}

/** A rule as `crewload schema contract` lists it. */
export interface ContractRule extends RuleText {
  operation: Operation
  dialect: Dialect | 'both'
}
