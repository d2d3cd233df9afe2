/** The closed loads of a search: the ladder that fills a crew, and the loads that keep it full. */
import type { Learned } from '../learn/learn.ts'
import type { AppliedLoad } from '../seen.ts'

/**
 * The number of clients per slot that keeps a crew full: when one execution ends, another is
 * already waiting.
 */
const HELD = 1.3
/** At least so many more clients than workers, so that a few that pause leave others waiting. */
const MORE = 3
/**
 * More of them keep executions waiting at all times, so that workers that scale stay, and that a
 * crew that lives on between loads shows that it grows.
 */
const SCALING_HELD = 2
/** Rungs with fewer clients than this are repeated, because each shows so little. */
const FEW_CLIENTS = 8
/** From this budget on, each client of the ladder gets two executions. */
export const AMPLE = 4_000

type Closed = Extract<AppliedLoad, { kind: 'closed' }>

/**
 * The next rung, with twice as many clients as the one before; null if the budget or the limit of
 * clients is reached.
 */
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
 * A load with several times as many clients as workers, and one execution each: a queue of limited
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

/** Whether the crew held as many executions at once as an overfilling load brings. */
export function isOverfilled(inCrew: number, slots: number): boolean {
  return inCrew >= OVERFILLED.least * slots
}

/** The clients of an overfilling load per worker; fewer than `least` make hardly any queue. */
const OVERFILLED = { least: 2.5, most: 4 }
/**
 * The largest share of the budget for this load; its accepted executions also count as samples of
 * the full crew.
 */
const OVERFILLING_SHARE = 0.4

/**
 * The budget from which a search overfills a crew of `slots` workers: the ladder before it takes up
 * to four times as many kickoffs, and a fifth of the budget is left for the confirmation.
 */
export function budgetOfOverfilling(slots: number): number {
  return Math.ceil(((LADDER + OVERFILLED.least) * slots) / (1 - CONFIRMING) + FEWEST)
}

const LADDER = 4
const CONFIRMING = 0.2

/**
 * A load of few clients with many executions, which shows how long executions take without a wait.
 * It serves to count the workers of a crew that hides its queue. Null if the budget does not allow
 * it.
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
 * A load with enough executions for `wanted` service times of the full crew, as far as `left`
 * allows; null if they are already there, or no more can be afforded. `waking`: the executions
 * during which workers that scale are not all at work.
 */
export function nextHold(
  { slots, queueLimit, full, hidden, loads }: Learned,
  wanted: number,
  left: number,
  waking = 0,
): Closed | null {
  const missing = wanted - full.micros.length
  if (slots === null || missing <= 0) return null
  const most = queueLimit === null ? Infinity : slots + queueLimit
  const mayGrow = hidden === null && loads.at(-1)?.seen.lasts === true
  const held = waking > 0 || mayGrow ? SCALING_HELD : HELD
  const counted = hidden?.high ?? slots
  const clients = Math.min(most, Math.max(counted + MORE, Math.ceil(held * counted)))
  // With fewer executions than clients the crew would not be full.
  const worth = Math.max(clients, FEWEST, Math.ceil(missing) + Math.ceil(slots / 10)) + waking
  const executions = Math.min(left, worth)
  return executions < Math.min(clients, missing / 2) + waking || executions < FEWEST
    ? null
    : { kind: 'closed', clients: Math.min(clients, executions), executions }
}

/** A load with fewer executions is not worth starting. */
const FEWEST = 10
