/** Arrivals that were never sent: the generator dropped them, or the run did not reach them. */
import { ScenarioError, thrownWords } from '../../scenario/author/call.ts'
import type { ExecutionRecord, Outcome } from './record.ts'

export interface Unsent {
  outcome: 'dropped' | 'notReached'
  reason: string
}

const UNMADE = /^(inputs|tags): /

/** Every place in flight was taken, and the plan does not allow the arrival to wait. */
export const TURNED_AWAY: Unsent = { outcome: 'dropped', reason: 'max in flight' }

/**
 * The budget was spent, the run was stopped or cut before the arrival's time, or the target was
 * lost.
 */
export function notReached(reason: string): Unsent {
  return { outcome: 'notReached', reason }
}

/**
 * Inputs or tags that cannot be built, or cannot be sent as JSON, are a mistake of the scenario's
 * author.
 */
export function inputsFailed(error: unknown): Unsent {
  const part = error instanceof ScenarioError && error.part === 'tags' ? 'tags' : 'inputs'
  return { outcome: 'dropped', reason: `${part}: ${thrownWords(error)}` }
}

/** Returns which of the two it was, and why; null for every other record. */
export function failedInputs({
  outcome,
  reason,
}: Pick<ExecutionRecord, 'outcome' | 'reason'>): { part: string; message: string } | null {
  const [head, part] = outcome === 'dropped' ? (UNMADE.exec(reason ?? '') ?? []) : []
  if (head === undefined || part === undefined) return null
  return { part, message: reason!.slice(head.length) }
}

export function isUnsent(outcome: Outcome): boolean {
  return outcome === 'dropped' || outcome === 'notReached'
}
