/**
 * Requests that headers count and this client has not sent. Time alone raises what is left, so that
 * what a count loses beyond this client's own requests was taken by others. That needs no model of
 * the limit: it is told where headers are not followed as well.
 */
import type { LimitEvidence, Observed } from '../interface.ts'
import { policiesIn, toldOf } from './promise.ts'

/** The least number of requests that others have sent; 0 where no header counts. */
export function othersIn(evidence: LimitEvidence): number {
  const counting = policiesIn(evidence).filter(
    ({ left, isConcurrent }) => left !== null && !isConcurrent,
  )
  const batches = batchesOf(evidence)
  return Math.max(0, ...counting.map(({ key }) => takenFrom(batches, key)))
}

/** Requests of which one was sent before the answers to all others had come. */
function batchesOf(evidence: LimitEvidence): Observed[][] {
  const batches: Observed[][] = []
  let endMs = -Infinity
  for (const observed of evidence.toSorted((a, b) => a.sentMs - b.sentMs)) {
    if (observed.sentMs > endMs) batches.push([])
    batches.at(-1)!.push(observed)
    endMs = Math.max(endMs, observed.receivedMs)
  }
  return batches
}

/** A refusal hides how many more were sent, so the count begins anew after it. */
function takenFrom(batches: readonly Observed[][], key: string): number {
  let taken = 0
  let before: number | null = null
  for (const batch of batches) {
    const after = batch.some(({ answer }) => answer === 'refused') ? null : leastLeft(batch, key)
    if (before !== null && after !== null) taken += Math.max(0, before - batch.length - after)
    before = after
  }
  return taken
}

/** Null where an answer does not tell. */
function leastLeft(batch: readonly Observed[], key: string): number | null {
  const counts = batch.map(({ headers }) => toldOf(headers, key)?.left ?? null)
  return counts.includes(null) ? null : Math.min(...counts.map(Number))
}
