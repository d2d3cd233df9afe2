/** What is told of a limiter, from what is believed. */
import type { Belief, Weighed } from './belief.ts'
import type { Hypothesis, Parameters } from './hypotheses/hypothesis.ts'
import type { Estimate, Finding, LimiterKind } from './interface.ts'
import { rangeOf } from './precision.ts'

export const UNKNOWN: Finding = {
  kind: 'unknown',
  sameAs: [],
  probability: 0,
  ratePerSecond: null,
  capacity: null,
  limit: null,
  windowMs: null,
  aligned: null,
  boundaryMs: null,
  concurrency: null,
  blockMs: null,
  delaying: false,
  countsRefused: null,
  safePerSecond: null,
  runnerUp: null,
}

export interface KindShare {
  kind: LimiterKind
  probability: number
}

/** Kinds with their twins, most probable first. */
export function kindShares(belief: Belief): KindShare[] {
  const shares = new Map<LimiterKind, number>()
  for (const weighed of belief.weighed) {
    const kind = className(weighed)
    shares.set(kind, (shares.get(kind) ?? 0) + weighed.probability)
  }
  return [...shares]
    .map(([kind, probability]) => ({ kind, probability }))
    .sort((a, b) => b.probability - a.probability)
}

/** With a limit of one, a log, a window from the first hit and a bucket are the same. */
function className({ pool, best }: Weighed): LimiterKind {
  return isOneAtATime(pool.hypothesis, best.parameters) ? 'token-bucket' : pool.hypothesis.kind
}

function isOneAtATime({ kind, aligned }: Hypothesis, { limit }: Parameters): boolean {
  if (limit !== 1) return false
  return kind === 'sliding-log' || (kind === 'fixed-window' && aligned === 'first-hit')
}

export function findingOf(belief: Belief, delaying: boolean): Finding {
  const [first, second] = kindShares(belief)
  if (first === undefined) return UNKNOWN
  const best = belief.weighed.find((weighed) => className(weighed) === first.kind)!
  const isBucket = first.kind === 'token-bucket'
  const limit = rangeOf(best.pool, 'limit')
  const windowMs = rangeOf(best.pool, 'windowMs')
  const { kind, aligned, countsRefused } = best.pool.hypothesis
  const isWindow = ['fixed-window', 'sliding-log', 'sliding-counter', 'penalty'].includes(kind)
  return {
    ...UNKNOWN,
    kind: isBucket && delaying ? 'leaky-bucket' : first.kind,
    sameAs: sameAs(first.kind, limit, delaying),
    probability: first.probability,
    ratePerSecond: isBucket ? inverse(windowMs) : null,
    capacity: isBucket ? limit : null,
    limit: isWindow ? limit : null,
    windowMs: isWindow ? windowMs : null,
    aligned: isWindow ? aligned : null,
    boundaryMs: aligned === 'calendar' ? best.best.parameters.phaseMs : null,
    concurrency: kind === 'concurrency' ? limit : null,
    blockMs: kind === 'penalty' ? rangeOf(best.pool, 'blockMs') : null,
    delaying: isBucket && delaying,
    countsRefused: ['fixed-window', 'concurrency', 'none'].includes(kind) ? null : countsRefused,
    safePerSecond: safePerSecond(first.kind, limit, windowMs),
    runnerUp: second === undefined || second.probability < 1e-9 ? null : second,
  }
}

function sameAs(kind: LimiterKind, limit: Estimate, delaying: boolean): LimiterKind[] {
  if (kind !== 'token-bucket') return []
  const twins: LimiterKind[] = delaying ? ['token-bucket'] : ['leaky-bucket']
  return limit.value === 1 ? [...twins, 'sliding-log', 'fixed-window'] : twins
}

/** Tokens a second, of milliseconds for one. */
function inverse({ low, high }: Estimate): Estimate {
  const rates = { low: 1_000 / high, high: 1_000 / low }
  return { value: (rates.low + rates.high) / 2, ...rates }
}

function safePerSecond(kind: LimiterKind, limit: Estimate, windowMs: Estimate): number | null {
  switch (kind) {
    case 'token-bucket':
      return 1_000 / windowMs.high
    case 'fixed-window':
    case 'sliding-log':
    case 'sliding-counter':
    case 'penalty':
      return (limit.low * 1_000) / windowMs.high
    default:
      return null
  }
}
