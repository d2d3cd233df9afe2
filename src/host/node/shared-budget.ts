/**
 * One budget for several threads: together they never spend more than its limits, and none has a
 * reserved share.
 */
import type { BudgetKind } from '../../engine/spending.ts'
import type { Budget, BudgetLimits } from '../budget.ts'

const PLACE: Readonly<Record<BudgetKind, number>> = { kickoff: 0, request: 1 }
const UNLIMITED = -1n

/** The memory to pass to every thread. */
export function createSharedBudget({ kickoffs, requests }: BudgetLimits): SharedArrayBuffer {
  const left = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT))
  left[PLACE.kickoff] = kickoffs === null ? UNLIMITED : BigInt(kickoffs)
  left[PLACE.request] = requests === null ? UNLIMITED : BigInt(requests)
  return left.buffer
}

export function sharedBudget(memory: SharedArrayBuffer): Budget {
  const left = new BigInt64Array(memory)
  return { spend: (kind) => spend(left, PLACE[kind]) }
}

/** Compare and swap: another thread may take the last one between reading and decrementing. */
function spend(left: BigInt64Array, place: number): boolean {
  let seen = Atomics.load(left, place)
  while (seen > 0n) {
    const before = Atomics.compareExchange(left, place, seen, seen - 1n)
    if (before === seen) return true
    seen = before
  }
  return seen === UNLIMITED
}
