/** Whether the limit of an operation is answered. */
import type { OperationLimit } from '../document.ts'

export function isSettled(limit: OperationLimit | null): boolean {
  return limit !== null && limit.outcome === 'settled' && limit.kind !== 'unknown'
}

/** From this probability on, only confirming experiments are missing. */
export const LIKELY = 0.95
