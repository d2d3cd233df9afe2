/** How a run ended before its plan was complete, and what came of its arrivals. */
import { isUnsent } from '../../execution/machine.ts'
import type { EndReason } from '../../execution/record/reason.schema.ts'
import type { Outcome } from '../../execution/record/record.ts'
import type { EndReasonCount, ResultDocument } from '../document.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import type { Observations } from '../observations.ts'

/** For `earlyStopWords`. Null for a run that was not stopped, or ended with its fake crew. */
export function earlyStopOf({
  run: { stopped, stopReason },
  reasons,
}: Pick<ResultDocument, 'run' | 'reasons'>) {
  if ((stopped !== 'drained' && stopped !== 'now') || stopReason?.code === 'crew-ended') return null
  const threshold = stopReason?.code === 'threshold' ? stopReason : null
  return { stopped, notEnded: notEndedIn(reasons), threshold }
}

/** Executions that had not ended within the drain time. */
export function notEndedIn({ aborted }: ResultDocument['reasons']): number {
  return countReasons(aborted, (reason) => reason.code === 'stopped' && reason.when === 'drained')
}

export function countReasons(
  reasons: readonly EndReasonCount[] = [],
  matches: (reason: EndReason) => boolean,
): number {
  return reasons
    .filter(({ reason }) => reason !== null && matches(reason))
    .reduce((sum, { count }) => sum + count, 0)
}

/**
 * These say nothing about the target: the shares of the other outcomes leave them out, and they
 * have counts.
 */
export function isSetAside(outcome: Outcome): boolean {
  return isUnsent(outcome) || outcome === 'aborted'
}

/** Arrivals that were never sent. */
export function unsentOf({
  dropped,
  notReached,
}: Pick<ResultDocument['outcomes'], 'dropped' | 'notReached'>): number {
  return dropped + notReached
}

export function sentOf({
  arrivals,
  outcomes,
}: Pick<ResultDocument, 'arrivals'> & { outcomes: Parameters<typeof unsentOf>[0] }) {
  return { arrivals, sent: arrivals - unsentOf(outcomes) }
}

/** Counts the arrivals of the warm-up, which are in no metric. */
export function warmUpArrivals({ warmUpOutcomes }: Pick<Observations, 'warmUpOutcomes'>): number {
  return Object.values(warmUpOutcomes).reduce((sum, count) => sum + count, 0)
}

/** Names an outcome in words: `not reached`. */
export function outcomeWord(outcome: Outcome): string {
  return outcome === 'notReached' ? 'not reached' : outcome
}

/**
 * Counts arrivals: `1 execution`; `20 arrivals` if some never became one; `60 arrivals, 5 executed`
 * if some were never sent.
 */
export function arrivalWords(
  arrivals: number,
  outcomes: Pick<ResultDocument['outcomes'], 'dropped' | 'notReached' | 'rejected'>,
): string {
  const unsent = unsentOf(outcomes)
  const { rejected } = outcomes
  if (unsent === 0) return plural(arrivals, rejected > 0 ? 'arrival' : 'execution')
  const executed = arrivals - unsent - rejected
  return `${plural(arrivals, 'arrival')}, ${executed === 0 ? 'none' : formatCount(executed)} executed`
}
