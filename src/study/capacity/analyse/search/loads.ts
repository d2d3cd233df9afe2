/** The closed loads of a search: the ladder that fills a crew, and what keeps it full. */
import type { Learned } from '../learn/learn.ts'
import type { Load } from '../learn/seen.ts'

/** Clients in flight for each slot, so that one that ends is followed at once. */
const HELD = 1.3
/** Rungs of few clients are repeated, since each tells so little. */
const FEW_CLIENTS = 8
/** A budget of so many allows two executions of each client. */
export const AMPLE = 4_000

type Closed = Extract<Load, { kind: 'closed' }>

/** Twice as many clients as in the rung before; null where the budget or the clients end. */
export function nextRung(
  rungs: readonly number[],
  left: number,
  { mostClients, isAmple }: { mostClients: number; isAmple: boolean },
): Closed | null {
  const last = Math.max(0, ...rungs)
  const clients = last === 0 ? 1 : Math.min(mostClients, last * 2)
  if (clients === last) return null
  const rounds = clients < FEW_CLIENTS || isAmple ? 2 : 1
  const executions = Math.min(left, clients * rounds + 2)
  return executions < clients ? null : { kind: 'closed', clients, executions }
}

/**
 * A load of many times as many clients as workers, with one execution each; a queue of limited
 * length refuses some. Null if it would take too much of the budget.
 */
export function overfilling(
  slots: number,
  left: number,
  { budget, mostClients }: { budget: number; mostClients: number },
): Closed | null {
  const allowed = Math.floor(OVERFILLING_SHARE * budget)
  const clients = Math.min(mostClients, left, allowed, OVERFILLED.most * slots)
  if (clients < OVERFILLED.least * slots) return null
  return { kind: 'closed', clients, executions: clients }
}

/** Whether as many executions were in the crew at once as an overfilling load brings. */
export function isOverfilled(inCrew: number, slots: number): boolean {
  return inCrew >= OVERFILLED.least * slots
}

/** Multiples of the workers: fewer executions at once leave hardly a queue. */
const OVERFILLED = { least: 2.5, most: 4 }
/** Share of the budget: executions that are not refused count as those of the full crew. */
const OVERFILLING_SHARE = 0.4

/**
 * Kickoffs from which on a search overfills a crew of so many workers: the ladder before it takes
 * up to four times as many, and a fifth of all is left for the confirmation.
 */
export function budgetOfOverfilling(slots: number): number {
  return Math.ceil(((LADDER + OVERFILLED.least) * slots) / (1 - CONFIRMING) + FEWEST)
}

const LADDER = 4
const CONFIRMING = 0.2

/**
 * Few clients, many times: what executions take beside others, without a wait. It counts the
 * workers of a crew that hides its queue. Null where the budget does not allow it.
 */
export function freeRung(slots: number, left: number, budget: number): Closed | null {
  const clients = Math.max(1, Math.floor(FREE * slots))
  const executions = Math.max(clients, Math.min(MOST_FREE, Math.round(FREE_SHARE * budget)))
  return executions > left ? null : { kind: 'closed', clients, executions }
}

const FREE = 0.6
const FREE_SHARE = 0.1
const MOST_FREE = 400

/**
 * Enough executions for `wanted` service times of the full crew, as far as `left` allows; null
 * where it has them, or no more can be had.
 */
export function nextHold(
  { slots, queueLimit, full, hidden }: Learned,
  wanted: number,
  left: number,
): Closed | null {
  const missing = wanted - full.micros.length
  if (slots === null || missing <= 0) return null
  const most = queueLimit === null ? Infinity : slots + queueLimit
  const clients = Math.min(most, Math.max(slots + 1, Math.ceil(HELD * (hidden?.high ?? slots))))
  // With fewer executions than clients the crew would not be full.
  const worth = Math.max(clients, FEWEST, Math.ceil(missing) + Math.ceil(slots / 10))
  const executions = Math.min(left, worth)
  return executions < Math.min(clients, missing / 2) || executions < FEWEST
    ? null
    : { kind: 'closed', clients: Math.min(clients, executions), executions }
}

/** A load of fewer is not worth its beginning. */
const FEWEST = 10
