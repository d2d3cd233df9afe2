/** Whether the limit of an operation is answered. */
import type { OperationLimit } from '../document.ts'

export function isSettled(limit: OperationLimit | null): boolean {
  return limit !== null && limit.outcome === 'settled' && limit.kind !== 'unknown'
}
