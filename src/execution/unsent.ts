/** Arrivals that were never sent: the generator turned them away, or the run did not come to them. */
import type { ExecutionRecord, Outcome } from './record.ts'

export interface Unsent {
  outcome: 'dropped' | 'notReached'
  reason: string
}

/** Every place in flight was taken, and the plan lets nobody wait. */
export const MAX_IN_FLIGHT = 'max in flight'
/** k6 begins an iteration only in a VU that is free. */
export const NO_VU = 'no VU was free: the iteration was dropped'
const INPUTS = 'inputs: '

export function turnedAway(reason: typeof MAX_IN_FLIGHT | typeof NO_VU): Unsent {
  return { outcome: 'dropped', reason }
}

/** A budget was spent, the run was stopped or cut before the arrival's time, or the target was lost. */
export function notReached(reason: string): Unsent {
  return { outcome: 'notReached', reason }
}

/** Inputs that cannot be made are a mistake of the scenario's author. */
export function inputsFailed(message: string): Unsent {
  return { outcome: 'dropped', reason: `${INPUTS}${message}` }
}

export function isUnsent(outcome: Outcome): boolean {
  return outcome === 'dropped' || outcome === 'notReached'
}

/** Journals from before there was `notReached` call every arrival that was never sent dropped; their reason tells. */
export function readUnsent(record: ExecutionRecord): ExecutionRecord {
  if (record.outcome !== 'dropped' || isOfTheGenerator(record.reason ?? '')) return record
  return { ...record, outcome: 'notReached' }
}

function isOfTheGenerator(reason: string): boolean {
  return reason === MAX_IN_FLIGHT || reason === NO_VU || reason.startsWith(INPUTS)
}
