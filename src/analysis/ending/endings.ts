/** How a run ended before its plan did. */
import { isUnsent } from '../../execution/machine.ts'
import type { Outcome } from '../../execution/record/record.ts'
import type { ResultDocument, RunInfo } from '../document.ts'
import { formatCount, plural } from '../metrics/format-metric.ts'
import type { Observations } from '../observations.ts'

/** What documents and observations both have. */
export interface Ended {
  stopped: RunInfo['stopped']
  stopReason: RunInfo['stopReason']
  reasons: ResultDocument['reasons']
}

/** What ends the executions of a run that was cut, where the fake crew had been started for it. */
export const CREW_ENDED = 'the fake crew of the run ended with it'

const OUT_OF_TIME = 'not ended within the drain time'
const NOT_TO_BE_MET = ' cannot be met any more'
const BUDGET_SPENT =
  /^(its part of the |this instance's share of the )?(kickoff|request|time) budget spent$/

/** What stops a run early for a threshold of this name and bound; `stoppedBy` reads it back. */
export function earlyStopReason(metric: string, text: string): string {
  return `${metric} ${text}${NOT_TO_BE_MET}`
}

/** Executions that the drain gave up. */
function cutByDrain(reasons: Ended['reasons']): number {
  return count(reasons.aborted, (reason) => reason.includes(OUT_OF_TIME))
}

/** `execution.p95 < 8 s`: the threshold that stopped the run early; null when none did. */
export function stoppedBy(stopReason: string | null): string | null {
  return stopReason?.endsWith(NOT_TO_BE_MET) === true
    ? stopReason.slice(0, -NOT_TO_BE_MET.length)
    : null
}

/**
 * `stopped early and drained`, `stopped early without draining`, `stopped early by execution.p95 <
 * 8 s and drained`; null for a run that was not stopped by anybody.
 */
export function stopWords({ stopped, stopReason, reasons }: Ended): string | null {
  if ((stopped !== 'drained' && stopped !== 'now') || stopReason === CREW_ENDED) return null
  const threshold = stoppedBy(stopReason)
  const early = threshold === null ? 'stopped early' : `stopped early by ${threshold}`
  const cut = cutByDrain(reasons)
  if (stopped === 'drained') return `${early} and drained`
  if (cut > 0) return `${early} and drained, and ${formatCount(cut)} had not ended in time`
  return threshold === null ? 'stopped early without draining' : `${early}, then at once`
}

/** The engine notes it; the verdict tells it better. */
export function tellsBudget(note: string): boolean {
  return BUDGET_SPENT.test(note)
}

export interface SpentBudget {
  kind: 'kickoff' | 'request' | 'time'
  /** Arrivals that it kept from being sent. */
  unsent: number
  /** Executions that it kept from being polled to their end. */
  unfollowed: number
  /** What refused was a part of it, dealt out beforehand: of the rest some may be left. */
  isPart: boolean
}

/**
 * Each budget that refused a request. Where it refused but a second try of a kickoff, a note alone
 * tells.
 */
export function spentBudgets({
  reasons,
  notes,
}: Pick<Observations, 'reasons' | 'notes'>): SpentBudget[] {
  return (['kickoff', 'request', 'time'] as const).flatMap((kind) => {
    const isSpent = (text: string): boolean => BUDGET_SPENT.exec(text)?.[2] === kind
    const unsent = count(reasons.notReached, isSpent)
    const unfollowed = count(reasons.aborted, isSpent)
    const told = [...(reasons.notReached ?? []), ...(reasons.aborted ?? [])].map(
      (each) => each.reason,
    )
    const spent = [...told, ...notes].filter(isSpent)
    const isPart = spent.some((text) => text !== `${kind} budget spent`)
    return spent.length > 0 ? [{ kind, unsent, unfollowed, isPart }] : []
  })
}

function count(
  reasons: Ended['reasons']['notReached'],
  matches: (reason: string) => boolean,
): number {
  return (reasons ?? []).reduce((sum, each) => sum + (matches(each.reason) ? each.count : 0), 0)
}

/**
 * Says nothing about the target: the other outcomes have their shares of what is left, these have
 * counts.
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

/** As people read it: `not reached`. */
export function outcomeWord(outcome: Outcome): string {
  return outcome === 'notReached' ? 'not reached' : outcome
}

/**
 * `1 execution`; `20 arrivals` where some never became one; `60 arrivals, 5 executed` where some
 * were never sent.
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
