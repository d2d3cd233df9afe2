/** A row: one way of misbehaving, and what the harness must make of it. */
import type { AnswerCode } from '../../src/crew/observation.ts'
import type { Outcome } from '../../src/execution/record/record.ts'
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
  kickoff?: AnswerCode
  /** What at least one poll came to. Default: not asked. */
  poll?: AnswerCode
  /** The rules that are broken, all of them. Default none. */
  rules?: string[]
  /**
   * Kickoffs that the target saw. Default 1: nothing is ever sent twice behind the machine's back.
   */
  kickoffs?: number
  /**
   * The limit of the plan that the row runs into. Default none: then it must end for its own
   * reason, long before any.
   */
  limit?: 'request' | 'deadline'
  /** Growth of the resident set. Default: not asked. */
  growsAtMostBytes?: number
  plan?: Partial<Plan>
}

/**
 * The plan's limits for each kind of row, and the longest time that it may take to the journal's
 * last line.
 */
export const ROW_LIMITS = {
  none: { firstCallTimeoutMs: 5_000, requestTimeoutMs: 5_000, deadlineMs: 10_000, withinMs: 3_000 },
  request: { firstCallTimeoutMs: 400, requestTimeoutMs: 400, deadlineMs: 10_000, withinMs: 3_000 },
  /**
   * Up to the deadline, and then three questions, a second apart, whether the target is still
   * there. Their kickoffs are answered, and may take as long as a busy machine needs.
   */
  deadline: { firstCallTimeoutMs: 5_000, requestTimeoutMs: 300, deadlineMs: 700, withinMs: 5_000 },
}
