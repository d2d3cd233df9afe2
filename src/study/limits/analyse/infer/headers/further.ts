/** Limits that headers tell beside the one that is followed: each is promised, and not checked. */
import { UNKNOWN, withOpen } from '../inferred-limit.ts'
import type { FurtherLimit, ParameterEstimate } from '../../../document.ts'
import type { LimitEvidence } from '../interface.ts'
import type { HeaderCount } from './promise.ts'
import { policiesIn } from './promise.ts'

/** Headers tell whole seconds. */
const ROUNDED_MS = 1_000

/** Smallest rate first; those without a window, which name no rate, last. */
export function furtherIn(evidence: LimitEvidence, { key }: HeaderCount): FurtherLimit[] {
  return policiesIn(evidence)
    .filter((told) => told.key !== key)
    .map(promised)
    .toSorted((a, b) => (a.safePerSecond ?? Infinity) - (b.safePerSecond ?? Infinity))
}

/** How it counts within its window is not told. */
function promised({ limit, windowMs, isConcurrent }: HeaderCount): FurtherLimit {
  const count = { value: limit, low: limit, high: limit }
  const basis = 'promised'
  if (isConcurrent) {
    return { ...UNKNOWN, basis, kind: 'concurrency', concurrency: count, probability: 1 }
  }
  if (windowMs === null) return { ...UNKNOWN, basis, limit: count }
  const safePerSecond = (limit * 1_000) / windowMs
  const found = { ...UNKNOWN, limit: count, windowMs: rounded(windowMs), safePerSecond }
  return { ...withOpen(found), basis }
}

function rounded(ms: number): ParameterEstimate {
  return { value: ms, low: Math.max(1, ms - ROUNDED_MS), high: ms + ROUNDED_MS }
}
