/**
 * Whether requests are answered in turn: those of one burst one after the other, each a turn later
 * than the one before it. A limiter that holds requests back does that, and so does a target that
 * serves one request at a time.
 */
import type { LimitEvidence, Observed } from '../interface.ts'
import type { GroupTiming } from './timing.ts'
import { burstsIn, isAccepted, LEAST_IN_TURN, quantile } from './timing.ts'

/** The time between the release of one delayed request and the next. */
export interface DelayTurn {
  ms: number
  /** Relative standard deviation. */
  error: number
  /** For so long a request is held back at most. */
  longestMs: number
}

/** Nats that the coincidence costs of a limit with a target that serves one request at a time. */
const SERVED_IN_TURN = 12

/** `turnMs`: the turn of a limiter that holds requests back; null for one that does not. */
export function turnCost(turnMs: number | null, { ms, error }: DelayTurn): number {
  if (turnMs === null) return SERVED_IN_TURN
  return Math.min(SERVED_IN_TURN, 0.5 * (Math.log(turnMs / ms) / error) ** 2)
}

/** Whether it is the limiter that holds requests back, and not what is behind it. */
export function isHeldBack(turnMs: number, turn: DelayTurn | null): boolean {
  return turn !== null && turnCost(turnMs, turn) < SERVED_IN_TURN
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
/** Where requests leave in turn, half of them are within so many standard deviations of it. */
const EVEN = 3
/** Beside jitter, turns agree within this share. */
const LEAST_ERROR = 0.02
/** The same where it is known that requests are held back. */
const LEAST_SURE_ERROR = 0.002
/** Multiple of the largest burst that agrees: others may have been waiting before it. */
const LONGEST = 2

/**
 * Null when requests are not answered in turn. `isHeld`: it is known that requests are held back,
 * so that one burst which is answered in turn is enough.
 */
export function turnOf(
  evidence: LimitEvidence,
  { sigmaMs }: GroupTiming,
  isHeld = false,
): DelayTurn | null {
  const bursts = burstsIn(evidence).filter(({ length }) => length > 1)
  const held = bursts.flatMap(heldIn)
  const turns = turnsOf(held, sigmaMs)
  const isForOne = held.every(({ accepted }) => accepted <= 2)
  const alone = isForOne ? aloneIn(bursts, evidence) : []
  if (isHeld) {
    const [sure] = turns
      .filter(({ accepted }) => accepted >= LEAST_IN_TURN)
      .toSorted((one, other) => other.longestMs - one.longestMs)
    if (sure !== undefined) return { ...sure, error: sure.error - LEAST_ERROR + LEAST_SURE_ERROR }
  }
  // One that waits alone may wait for several turns, or for a part of one: bursts tell, if enough.
  const told = turnAmong(turns, held.length, turnsOf(alone, sigmaMs))
  if (told !== null || alone.length === 0) return told
  return turnAmong(turnsOf([...held, ...alone], sigmaMs), held.length + alone.length, [])
}

interface HeldTurn extends DelayTurn {
  accepted: number
}

/** The turns of bursts whose slowest request was held back; the best known first. */
function turnsOf(bursts: readonly Burst[], sigmaMs: number): HeldTurn[] {
  return bursts
    .filter(({ spreadMs, unevenMs }) => {
      return spreadMs > HELD * sigmaMs && unevenMs < EVEN * sigmaMs
    })
    .map(({ spreadMs, accepted }) => ({
      accepted,
      longestMs: spreadMs,
      ms: spreadMs / (accepted - 1),
      error: (2 * sigmaMs) / spreadMs + LEAST_ERROR,
    }))
    .sort((a, b) => a.error - b.error)
}

/** `of`: so many bursts there are; `more`: turns that may agree as well, and need not. */
function turnAmong(
  turns: readonly HeldTurn[],
  of: number,
  more: readonly HeldTurn[],
): DelayTurn | null {
  const best = turns[0]
  if (best === undefined || turns.length < of / 3) return null
  const isAgreeing = ({ ms, error }: HeldTurn): boolean =>
    Math.abs(Math.log(ms / best.ms)) < 3 * error
  const agreeing = turns.filter(isAgreeing)
  if (agreeing.length < Math.max(LEAST_AGREEING, AGREE * turns.length)) return null
  const sizes = agreeing.map(({ accepted }) => accepted)
  const isLarger = Math.max(...sizes) >= LARGER * Math.min(...sizes)
  if (!isLarger && agreeing.length + more.filter(isAgreeing).length < ENOUGH_OF_A_SIZE) return null
  const { ms, error } = best
  return { ms, error, longestMs: LONGEST * Math.max(...agreeing.map(({ longestMs }) => longestMs)) }
}

interface Burst {
  /** From the first answer of those that were let in to the last. */
  spreadMs: number
  /** By how much half of the answers come earlier or later than if they were spread evenly. */
  unevenMs: number
  accepted: number
}

/** The bursts in which at least two requests were let in. */
function heldIn(burst: readonly Observed[]): Burst[] {
  const accepted = burst.filter(isAccepted)
  if (accepted.length < 2) return []
  const received = accepted.map(({ receivedMs }) => receivedMs).sort((a, b) => a - b)
  const sent = spreadOf(accepted.map(({ sentMs }) => sentMs))
  const spreadMs = Math.max(0, spreadOf(received) - sent)
  return [{ spreadMs, unevenMs: unevenIn(received), accepted: accepted.length }]
}

/** Median distance from an even spread between the first and the last, which have none. */
function unevenIn(sorted: readonly number[]): number {
  const between = sorted.slice(1, -1)
  const eachMs = spreadOf(sorted) / (sorted.length - 1)
  const distances = between.map((ms, i) => Math.abs(ms - sorted[0]! - (i + 1) * eachMs))
  return quantile(
    distances.sort((a, b) => a - b),
    0.5,
  )
}

/**
 * A queue for one lets in one of a burst, which waits for a turn: what it takes beyond the shortest
 * trip of all that were let in. A target that serves slowly has no shorter trips.
 */
function aloneIn(bursts: readonly (readonly Observed[])[], evidence: LimitEvidence): Burst[] {
  const shortestMs = Math.min(...evidence.filter(isAccepted).map(tripMs))
  return bursts
    .map((burst) => burst.filter(isAccepted))
    .filter(({ length }) => length === 1)
    .map(([one]) => ({ spreadMs: tripMs(one!) - shortestMs, unevenMs: 0, accepted: 2 }))
}

function tripMs({ sentMs, receivedMs }: Observed): number {
  return receivedMs - sentMs
}

function spreadOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}
