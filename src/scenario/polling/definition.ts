/**
 * What is said of a polling strategy where it does not run: how an author writes it, how that is
 * checked, what the study of polling tries of it, and the loop of a client. None of it is needed
 * inside k6.
 */
import { toDigits } from '../../base/numbers.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_SECOND, MICROS_PER_MS } from '../../base/units.ts'
import { z } from 'zod'
import { oneOf, section } from '../quantities.ts'
import type { PollingHint, PollingOption } from './index.ts'
import { JITTERS } from '../backoff.ts'

export interface PollingWords<Policy> {
  /** One sentence, for the docs. */
  description: string
  example: PollingOption
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

/** What the options of every polling strategy have in common. */
const hint = oneOf(['obey', 'ignore']).optional()

/** A section with the keys of a strategy, and those of all. */
export function pollingSection<T extends z.ZodRawShape>(shape: T) {
  return section({ ...shape, hint })
}

/** The same in a plan. */
export const HINT = { hint: z.literal('obey').exactOptional() }

/** The part of the policy that does not depend on the strategy. */
export function hinted(value: { hint?: unknown }): PollingHint {
  return value.hint === 'obey' ? { hint: 'obey' } : {}
}

/** No interval is tried below this. */
export const LEAST_INTERVAL_MICROS = 10 * MICROS_PER_MS

/** Intervals from `from` to `to`, each `ratio` times the one before, rounded to three digits. */
export function geometric(from: Micros, to: Micros, ratio: number): Micros[] {
  const values = new Set<Micros>()
  for (let value = Math.max(LEAST_INTERVAL_MICROS, from); value <= to * ratio; value *= ratio) {
    values.add(neat(value))
  }
  return [...values]
}

/** Three digits, and whole milliseconds; one at least. */
export function neat(micros: Micros): Micros {
  const rounded = toDigits(micros, 3)
  return Math.max(MICROS_PER_MS, Math.round(rounded / MICROS_PER_MS) * MICROS_PER_MS)
}

/** The next whole millisecond: what must not come too early. */
export function notBefore(micros: Micros): Micros {
  return Math.max(MICROS_PER_MS, Math.ceil(micros / MICROS_PER_MS) * MICROS_PER_MS)
}

/** The options that polling and retries share: how waits grow, and how they are randomised. */
export const MAX_FACTOR = 10

export const jitter = oneOf(JITTERS)
