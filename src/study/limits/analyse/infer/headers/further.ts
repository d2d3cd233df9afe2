/** Limits that headers tell beside the one that is followed: each is promised, and not checked. */
import { UNKNOWN } from '../inferred-limit.ts'
import type { ParameterEstimate, LimitEvidence, InferredLimit } from '../interface.ts'
import type { HeaderCount } from './promise.ts'
import { policiesIn } from './promise.ts'

/** Headers tell whole seconds. */
const ROUNDED_MS = 1_000

/** Smallest rate first; those without a window, which name no rate, last. */
export function furtherIn(evidence: LimitEvidence, { key }: HeaderCount): InferredLimit[] {
  return policiesIn(evidence)
    .filter((told) => told.key !== key)
    .map(promised)
    .toSorted((a, b) => (a.safePerSecond ?? Infinity) - (b.safePerSecond ?? Infinity))
}

/** How it counts within its window is not told. */
function promised({ limit, windowMs, isConcurrent }: HeaderCount): InferredLimit {
  const count = { value: limit, low: limit, high: limit }
  if (isConcurrent) return { ...UNKNOWN, kind: 'concurrency', concurrency: count, probability: 1 }
  const window = windowMs === null ? null : rounded(windowMs)
  return {
    ...UNKNOWN,
    limit: count,
    windowMs: window,
    safePerSecond: window === null ? null : (limit * 1_000) / window.value,
  }
}

function rounded(ms: number): ParameterEstimate {
  return { value: ms, low: Math.max(1, ms - ROUNDED_MS), high: ms + ROUNDED_MS }
}
