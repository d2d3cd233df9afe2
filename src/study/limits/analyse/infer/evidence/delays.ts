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
/** This share of the bursts must agree on the turn, and so many of them. */
const AGREE = 0.7
const LEAST_AGREEING = 2
/**
 * Latency that varies spreads bursts too, but no wider where they are larger. So the largest must
 * be larger than the smallest by this factor, or so many must agree.
 */
const LARGER = 1.45
const ENOUGH_OF_A_SIZE = 3
/** Beside jitter, turns agree within this share. */
const LEAST_ERROR = 0.02

/** Null when nothing is held back in turn. */
export function turnOf(evidence: Evidence, { sigmaMs }: Timing): Turn | null {
  const bursts = burstsOf(evidence)
  const turns = bursts
    .filter(({ spreadMs }) => spreadMs > HELD * sigmaMs)
    .map(({ spreadMs, accepted }) => ({
      accepted,
      ms: spreadMs / (accepted - 1),
      error: (2 * sigmaMs) / spreadMs + LEAST_ERROR,
    }))
    .sort((a, b) => a.error - b.error)
  const best = turns[0]
  if (best === undefined || turns.length < bursts.length / 3) return null
  const agreeing = turns.filter(({ ms, error }) => Math.abs(Math.log(ms / best.ms)) < 3 * error)
  if (agreeing.length < Math.max(LEAST_AGREEING, AGREE * turns.length)) return null
  const sizes = agreeing.map(({ accepted }) => accepted)
  const isLarger = Math.max(...sizes) >= LARGER * Math.min(...sizes)
  return isLarger || agreeing.length >= ENOUGH_OF_A_SIZE ? best : null
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
