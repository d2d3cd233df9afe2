/**
 * Whether a limiter holds requests back: those of one burst are then answered one after the other,
 * each a turn later than the one before it.
 */
import type { Evidence } from '../interface.ts'
import type { Timing } from './timing.ts'

/** What passes from one request that is held back to the next. */
export interface Turn {
  ms: number
  /** Relative standard deviation. */
  error: number
}

/** The slowest of a burst was held back when it took longer by this many standard deviations. */
const HELD = 8
/** This share of the bursts must agree on the turn. */
const AGREE = 0.7
/** Beside jitter, turns agree within this share. */
const LEAST_ERROR = 0.02

/** Null when nothing is held back in turn. */
export function turnOf(evidence: Evidence, { sigmaMs }: Timing): Turn | null {
  const bursts = burstsOf(evidence)
  const turns = bursts
    .filter(({ spreadMs }) => spreadMs > HELD * sigmaMs)
    .map(({ spreadMs, accepted }) => ({
      ms: spreadMs / (accepted - 1),
      error: (2 * sigmaMs) / spreadMs + LEAST_ERROR,
    }))
    .sort((a, b) => a.error - b.error)
  const best = turns[0]
  if (best === undefined || turns.length < bursts.length / 3) return null
  const agreeing = turns.filter(({ ms, error }) => Math.abs(Math.log(ms / best.ms)) < 3 * error)
  return agreeing.length < AGREE * turns.length ? null : best
}

/** Of those with at least two that were let in. */
function burstsOf(evidence: Evidence): { spreadMs: number; accepted: number }[] {
  const bursts = new Map<number, number[]>()
  for (const { sentMs, receivedMs, answer } of evidence) {
    if (answer !== 'accepted') continue
    const received = bursts.get(sentMs) ?? []
    bursts.set(sentMs, received)
    received.push(receivedMs)
  }
  return [...bursts.values()]
    .filter(({ length }) => length > 1)
    .map((received) => ({
      spreadMs: Math.max(...received) - Math.min(...received),
      accepted: received.length,
    }))
}
