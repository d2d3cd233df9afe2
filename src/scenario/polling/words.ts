/**
 * What is said of a polling strategy where it does not run: how an author writes it, how that is
 * checked, what the study of polling tries of it, and the loop of a client. None of it is needed
 * inside k6.
 */
import type { z } from 'zod'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'

export interface PollingWords<Policy, Written> {
  /** One sentence, for the docs. */
  description: string
  example: Written
  /** Reads the author's section into the policy. */
  schema: z.ZodType<Policy>
  /** The shape of the policy in a plan. */
  planned: z.ZodType<Policy>
  /** Follows "poll": `every 6.10 s, the first after 42.0 s`. */
  tell(policy: Policy): string
  /**
   * What the study of polling tries for such execution times; null where it fits its own to them.
   */
  tried: ((lengths: ExecutionLengths) => readonly Policy[]) | null
  /**
   * Statements that return the seconds until the next poll. They may use `polls` (sent so far),
   * `previous` and `elapsed` (seconds) and `completed` (tasks, 0 where none are counted).
   */
  loop: {
    /** Indented by two spaces. */
    typescript(policy: Policy): string
    /** Indented by four spaces. */
    python(policy: Policy): string
  }
}

/** The lengths of executions. */
export interface ExecutionLengths {
  meanMicros: Micros
  /** The least length that a share `q` of them does not exceed; 0 gives the least of all. */
  quantile: (q: number) => Micros
  /** The median time of a poll. */
  requestMicros: Micros
  /** Most tasks that were counted in an execution; 0 without a count. */
  tasks: number
}

/** Seconds as a number in code: whole microseconds are exact. */
export function secondsText(micros: Micros): string {
  return String(micros / MICROS_PER_SECOND)
}
