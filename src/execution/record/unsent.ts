/** Arrivals that were never sent: the generator dropped them, or the run did not reach them. */
import { excerpt } from '../../crew/excerpt.ts'
import { ScenarioError, thrownWords } from '../../scenario/author/call.ts'
import type { EndReason } from './reason.schema.ts'
import type { Outcome } from './record.ts'

export interface Unsent {
  outcome: 'dropped' | 'notReached'
  reason: EndReason
}

export const TURNED_AWAY: Unsent = { outcome: 'dropped', reason: { code: 'max-in-flight' } }

/**
 * The budget was spent, the run was stopped or cut before the arrival's time, or the target was
 * lost.
 */
export function notReached(reason: EndReason): Unsent {
  return { outcome: 'notReached', reason }
}

/**
 * Inputs or tags that cannot be built, or cannot be sent as JSON, are a mistake of the scenario's
 * author.
 */
export function inputsFailed(error: unknown): Unsent {
  const part = error instanceof ScenarioError && error.part === 'tags' ? 'tags' : 'inputs'
  const reason = { code: 'author-error', part, text: excerpt(thrownWords(error)) } as const
  return { outcome: 'dropped', reason }
}

export function isUnsent(outcome: Outcome): boolean {
  return outcome === 'dropped' || outcome === 'notReached'
}
