/**
 * When requests arrived, as far as a client can tell. Of a round trip, what the target did not
 * spend on service is split evenly between the two ways: the error is half of their difference.
 */
import { groupedBy } from '../../../../../base/collections/counts.ts'
import { deviationOf, meanOf } from '../../../../../result/statistics/moments.ts'
import { upperMedian } from '../../../../../result/statistics/rising.ts'
import type { LimitEvidence, LimiterAnswer } from '../interface.ts'

export interface GroupTiming {
  /** What a request that is let in takes longer than one that is refused, at least. */
  serviceMs: number
  /** What one of ten takes longer at most: `serviceMs` where all are served in the same time. */
  longServiceMs: number
  /** Longest usual round trip without service, the shortest, and the median. */
  tripMs: number
  leastMs: number
  usualMs: number
  /** How far apart requests that are sent together arrive, at most. */
  spreadMs: number
  /** Standard deviation of the error of an arrival. */
  sigmaMs: number
  /** Requests that arrive closer to each other than this have no known order. */
  orderMs: number
}

/** Event loops wake up late by this much even where the network does not. */
const LEAST_SIGMA_MS = 1.5
/** The error is half of the difference of two ways; a bit more, since ways are not normal. */
const ERROR = 0.75
/** A standard deviation from few round trips is no better than this many of the largest allow. */
const FEW = 6

/** A trip longer than the longest usual one by this factor has an error of its own. */
const LATE_TRIP = 1.2
/** A trip that is longer than this many of the first quartile was held back. */
const CUT = 2.5
const LEAST_CUT_MS = 5
/** Beyond so many interquartile ranges from the median, a trip is late. */
const REACH = 2.5
/**
 * One way, uniform, of the standard deviation of both: the square root of 6, and a bit more since
 * the longest are left out.
 */
const SPREAD = 2.6

export function timingOf(evidence: LimitEvidence): GroupTiming {
  const accepted = tripsOf(evidence, 'accepted')
  const refused = tripsOf(evidence, 'refused')
  const serviceMs = Math.max(0, serviceOf(accepted, refused))
  const varies = isWider(accepted, refused)
  const bare = refused.length >= FEW ? refused : bareTrips(evidence, accepted, refused, serviceMs)
  const usual = usualOf(bare)
  const sigmaMs = Math.max(LEAST_SIGMA_MS, deviationOf(usual) * ERROR)
  const spreadMs = SPREAD * deviationOf(usual)
  const tripMs = Math.max(quantile(usual, 1), 4 * sigmaMs)
  return {
    serviceMs,
    longServiceMs: varies ? quantile(accepted, LONG) - quantile(refused, 0.5) : serviceMs,
    tripMs,
    leastMs: usual[0] ?? 0,
    usualMs: quantile(usual, 0.5),
    spreadMs,
    sigmaMs,
    orderMs: 3 * sigmaMs + 2,
  }
}

/** Without those that were late: their own error is known by their own trips. */
function usualOf(bare: readonly number[]): readonly number[] {
  const range = quantile(bare, 0.75) - quantile(bare, 0.25)
  const longest = quantile(bare, 0.5) + LEAST_CUT_MS + REACH * range
  return bare.slice(0, Math.max(FEW, Math.ceil(bare.length * 0.9))).filter((ms) => ms <= longest)
}

/**
 * Few refusals do not tell how far trips vary. Bursts that were answered in turn do, by the jitter
 * of one way; else requests that were sent alone help, for those of a burst may have been held
 * back; without enough of either, all that were let in do.
 */
function bareTrips(
  evidence: LimitEvidence,
  accepted: readonly number[],
  refused: readonly number[],
  serviceMs: number,
): number[] {
  const bursts = burstsIn(evidence)
  const shortestMs = refused[0] ?? 0
  const inTurn = bursts.flatMap(strayIn).map((ms) => shortestMs + Math.SQRT2 * ms)
  if (inTurn.length >= FEW) return [...inTurn, ...refused].sort((a, b) => a - b)
  const alone = tripsOf(bursts.filter(({ length }) => length === 1).flat(), 'accepted')
  const served = refused.length + alone.length >= FEW ? alone : accepted
  const bare = served.map((ms) => Math.max(0, ms - serviceMs))
  if (served === accepted) return bare
  const all = [...bare, ...refused].sort((a, b) => a - b)
  const longest = LEAST_CUT_MS + CUT * quantile(all, 0.25)
  return all.filter((ms) => ms <= longest)
}

/** Where most requests are held back in turn, only the shortest round trip is without that. */
function serviceOf(accepted: readonly number[], refused: readonly number[]): number {
  const shortest = accepted[0] ?? 0
  if (refused.length === 0) return shortest
  const early = quantile(accepted, 0.1) - quantile(refused, 0.1)
  const least = shortest - refused[0]!
  return early - least > quantile(refused, 1) ? least : early
}

/** Fewer trips do not tell whether the service varies, of either kind. */
const LEAST_SHOWN = 6
/** A smaller difference than this is none. */
const LEAST_VARIED_MS = 4
/** So large a share is served within the longest usual time, and takes a usual way. */
const LONG = 0.9

export function doesServiceVary({ serviceMs, longServiceMs }: GroupTiming): boolean {
  return longServiceMs > serviceMs
}

/**
 * Service varies where the middle half of the trips of those that were let in is wider than nine of
 * ten are of those that were refused: lateness on the way makes few much longer, of both.
 */
function isWider(accepted: readonly number[], refused: readonly number[]): boolean {
  if (accepted.length < LEAST_SHOWN || refused.length < LEAST_SHOWN) return false
  const half = quantile(accepted, 0.75) - quantile(accepted, 0.25)
  return half > Math.max(LEAST_VARIED_MS, quantile(refused, LONG) - quantile(refused, 1 - LONG))
}

/** When a request arrived, and how far that may be off beyond the usual error. */
export interface Arrived {
  ms: number
  errorMs: number
  /** By how much the arrival may be off in all, to either side. */
  halfMs: number
}

/**
 * It was sent and it was answered, and it arrived some time between: it may have been delayed on
 * either way, or by either end. `heldMs`: so long the target may have held it back, which shows
 * nothing of the way.
 */
export function arrivedWhen(
  { sentMs, receivedMs, answer }: LimiterAnswer,
  timing: GroupTiming,
  heldMs: number,
): Arrived {
  const isServed = answer === 'accepted'
  if (isServed && doesServiceVary(timing)) {
    // How long it took shows its service, and nothing of its way.
    return { ms: sentMs + timing.usualMs / 2, errorMs: 0, halfMs: 0 }
  }
  const serviceMs = isServed ? timing.serviceMs : 0
  const restMs = Math.max(0, receivedMs - sentMs - serviceMs)
  const halfMs = Math.max(0, restMs - timing.leastMs) / 2
  if (restMs <= LATE_TRIP * timing.tripMs) {
    return { ms: sentMs + Math.min(timing.tripMs, restMs) / 2, errorMs: 0, halfMs }
  }
  const atUsualMs = sentMs + timing.usualMs / 2
  if (restMs <= timing.tripMs + heldMs) return { ms: atUsualMs, errorMs: 0, halfMs: 0 }
  return { ms: sentMs + restMs / 2, errorMs: (restMs - timing.usualMs) / 2, halfMs }
}

export function leaveMs({ sentMs, receivedMs }: LimiterAnswer, { ms }: Arrived): number {
  return receivedMs - (ms - sentMs)
}

function tripsOf(evidence: LimitEvidence, answer: LimiterAnswer['answer']): number[] {
  return evidence
    .filter((observed) => observed.answer === answer)
    .map(({ sentMs, receivedMs }) => receivedMs - sentMs)
    .sort((a, b) => a - b)
}

/** The value that this share of the others lies below; 0 of none. It is a bound, no estimate. */
export function quantile(rising: readonly number[], share: number): number {
  return rising[Math.min(rising.length - 1, Math.floor(share * rising.length))] ?? 0
}

/** Which requests were sent together: they share it. */
export function burstOf({ burstMs, sentMs }: LimiterAnswer): number {
  return burstMs ?? sentMs
}

/** All bursts, those of one request included, in the order in which they were sent. */
export function burstsIn(evidence: LimitEvidence): readonly (readonly LimiterAnswer[])[] {
  return groupedBy(evidence, burstOf).map(([, burst]) => burst)
}

export function isAccepted({ answer }: LimiterAnswer): boolean {
  return answer === 'accepted'
}

/** Fewer answers are near a line by chance. */
const LEAST_IN_TURN = 4
/** The answers of a burst come in turn where they stray by less than this share of a turn. */
const STRAY = 0.25

/**
 * By how much each answer came later than the others that were held back in turn: one way's jitter,
 * from 0. Empty where the burst was not answered in turn, or has fewer than four answers.
 */
function strayIn(burst: readonly LimiterAnswer[]): number[] {
  const received = burst
    .filter(isAccepted)
    .map(({ receivedMs }) => receivedMs)
    .sort((a, b) => a - b)
  if (received.length < LEAST_IN_TURN) return []
  const turnMs = slopeOf(received)
  const away = received.map((ms, i) => ms - i * turnMs)
  const earliest = Math.min(...away)
  const late = away.map((ms) => ms - earliest)
  const middleMs = upperMedian(late)
  const strayMs = meanOf(late.map((ms) => Math.abs(ms - middleMs)))
  return strayMs < STRAY * turnMs ? late : []
}

/** Least squares of each value over its number. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const squares = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
  return values.reduce((sum, value, i) => sum + (i - middle) * value, 0) / squares
}

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
export function delayTurnOf(
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
  const turn = turnAmong(turns, held.length, turnsOf(alone, sigmaMs))
  if (turn !== null || alone.length === 0) return turn
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
function heldIn(burst: readonly LimiterAnswer[]): Burst[] {
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
function aloneIn(bursts: readonly (readonly LimiterAnswer[])[], evidence: LimitEvidence): Burst[] {
  const shortestMs = Math.min(...evidence.filter(isAccepted).map(tripMs))
  return bursts
    .map((burst) => burst.filter(isAccepted))
    .filter(({ length }) => length === 1)
    .map(([one]) => ({ spreadMs: tripMs(one!) - shortestMs, unevenMs: 0, accepted: 2 }))
}

function tripMs({ sentMs, receivedMs }: LimiterAnswer): number {
  return receivedMs - sentMs
}

function spreadOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}
