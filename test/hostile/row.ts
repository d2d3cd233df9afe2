/** A row: one way of misbehaving, and what the harness must make of it. */
import type { ErrorClass, Outcome } from '../../src/execution/record.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import type { Behaviour } from './server.ts'

export interface Row {
  name: string
  /** Where nothing is said, the target is well-behaved. */
  behaviour: Partial<Behaviour>
  /** Stops listening with the first kickoff. */
  refusesAfterKickoff?: boolean
  outcome: Outcome
  /** What the last kickoff attempt came to. Default 200. */
  kickoff?: number | ErrorClass
  /** What at least one poll came to. Default: not asked. */
  poll?: number | ErrorClass
  /** The rules that are broken, all of them. Default none. */
  rules?: string[]
  /** Kickoffs that the target saw. Default 1: nothing is ever sent twice behind the machine's back. */
  kickoffs?: number
  /** From the start to the last line of the journal. Default 1,000, for rows that wait for no limit. */
  withinMs?: number
  /** Growth of the resident set. Default: not asked. */
  growsAtMostBytes?: number
  plan?: Partial<Plan>
}

/** The limits of the rows' plan, and what a row may take that runs into them. */
export const REQUEST_TIMEOUT_MS = 250
export const DEADLINE_MS = 450
export const AFTER_REQUEST_TIMEOUT_MS = 1_200
export const AFTER_DEADLINE_MS = 1_500
