/**
 * Whether a limiter holds requests back: those of one burst are then answered one after the other,
 * and a refused one at once.
 */
import type { Evidence } from '../interface.ts'
import type { Timing } from './timing.ts'

/** A burst of this many shows whether its answers come in turn. */
const LEAST_BURST = 2
/** Round trips this many standard deviations longer than the shortest were held back. */
const HELD = 8

export function isDelaying(evidence: Evidence, timing: Timing): boolean {
  const bursts = new Map<number, number[]>()
  for (const { sentMs, receivedMs, answer } of evidence) {
    if (answer !== 'accepted') continue
    const trips = bursts.get(sentMs) ?? []
    bursts.set(sentMs, trips)
    trips.push(receivedMs - sentMs)
  }
  const wide = [...bursts.values()].filter((trips) => trips.length >= LEAST_BURST)
  const held = wide.filter(
    (trips) => Math.max(...trips) - Math.min(...trips) > HELD * timing.sigmaMs,
  )
  return held.length > wide.length / 2
}
