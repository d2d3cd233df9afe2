/** By how much the ledger says that executions delayed each other through what they share. */
import type { LedgerRow } from '../../crew/ledger.ts'
import type { SharedWaits } from '../document-parts.schema.ts'

/** The time from the start to the end of one execution, in milliseconds, by its kinds. */
export interface OwnTimes {
  /** Its calls waited for a quota. */
  quotaMs: number
  /** It had only a part of a shared processor. */
  slowedMs: number
  /** The rest: what it would take alone. */
  ownMs: number
}

/**
 * Null where executions share nothing but workers, and for one that did not complete: the ledger
 * does not say what the task waited in which it failed.
 */
export function ownTimesOf({ outcome, started_ms, ended_ms, tasks }: LedgerRow): OwnTimes | null {
  const isKnown = tasks.some(({ quota_wait }) => quota_wait !== undefined)
  if (outcome !== 'completed' || !isKnown || started_ms === null || ended_ms === null) return null
  const { quotaMs, slowedMs } = sharedWaitsIn({ tasks })
  return { quotaMs, slowedMs, ownMs: Math.max(0, ended_ms - started_ms - quotaMs - slowedMs) }
}

/** What the tasks waited that were completed; 0 where executions share nothing but workers. */
export function sharedWaitsIn({
  tasks,
}: Pick<LedgerRow, 'tasks'>): Pick<OwnTimes, 'quotaMs' | 'slowedMs'> {
  return {
    quotaMs: 1_000 * tasks.reduce((sum, { quota_wait = 0 }) => sum + quota_wait, 0),
    slowedMs: 1_000 * tasks.reduce((sum, { slowed = 0 }) => sum + slowed, 0),
  }
}

/** A shorter delay counts as none, as a share of the execution's own time. */
const DELAYED = 0.05

/** Null without any execution. */
export function sharedWaitsOf(executions: readonly OwnTimes[]): SharedWaits | null {
  const n = executions.length
  if (n === 0) return null
  const meanOf = (key: keyof OwnTimes): number =>
    executions.reduce((sum, each) => sum + each[key], 0) / n
  return {
    executions: n,
    delayed: executions.filter(
      ({ quotaMs, slowedMs, ownMs }) => quotaMs + slowedMs > DELAYED * ownMs,
    ).length,
    ownMs: meanOf('ownMs'),
    quotaMs: meanOf('quotaMs'),
    slowedMs: meanOf('slowedMs'),
  }
}

/** Fewer executions say nothing of their like. */
const FEWEST = 20
/** A smaller delay, as a share of the executions' own time, moves nothing that people plan by. */
const LARGE = 0.2

/** Whether most executions were delayed, and together by much. */
export function areDelayed(waits: SharedWaits | null): waits is SharedWaits {
  if (waits === null || waits.executions < FEWEST) return false
  const { executions, delayed, ownMs, quotaMs, slowedMs } = waits
  return ownMs > 0 && 2 * delayed >= executions && quotaMs + slowedMs >= LARGE * ownMs
}

/** `a quota and a shared processor`: what executions waited for. */
export function sharedWords({ quotaMs, slowedMs }: SharedWaits): string {
  return [quotaMs > 0 ? 'a quota' : '', slowedMs > 0 ? 'a shared processor' : '']
    .filter((part) => part !== '')
    .join(' and ')
}

/** The share of their time in the crew that executions spent waiting for something. */
export function waitingShare(waits: SharedWaits, queueMs: number): number {
  const { ownMs, quotaMs, slowedMs } = waits
  const waiting = queueMs + quotaMs + slowedMs
  return waiting / (waiting + ownMs)
}
