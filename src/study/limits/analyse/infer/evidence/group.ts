/** What a group of requests is, and what is known of all of them. */
import type { DelayTurn } from './delays.ts'
import type { GroupTiming } from './timing.ts'

export interface RequestGroup {
  /** Best guesses of the first and the last arrival. */
  firstMs: number
  lastMs: number
  /** How far its arrivals may be off beyond the usual error: a trip was that much longer. */
  errorMs: number
  accepted: number
  refused: number
  /** -Infinity where there is none. */
  lastAcceptedMs: number
  firstRefusedMs: number
  lastRefusedMs: number
  /** Best estimates of when the accepted requests arrived, in order; empty for a planned group. */
  arrivalsMs: readonly number[]
  /** When the first was sent; -Infinity for a group of a plan. */
  sentMs: number
  /** When the accepted ones left, in order of time. */
  leavesMs: readonly number[]
  /** When the answers to them had come, in order of time; none are told of a plan. */
  receivedMs: readonly number[]
  /** What headers say is left after it; null where none are followed. */
  left: Left | null
  /** When headers say that more is let in; null where none are followed. */
  restored: Restored | null
  /** Whether it stands for requests that another client has sent. */
  isOthers: boolean
}

/** How many requests more would be let in, as of some time from `fromMs` to `toMs`. */
export interface Left {
  count: number
  fromMs: number
  toMs: number
}

/** A time at which more will be left, or all of the limit: dialects differ, and round. */
export interface Restored {
  fromMs: number
  toMs: number
  /** Whether Retry-After tells it, which should be when the next request is let in. */
  isNext: boolean
}

export interface Grouped {
  groups: readonly RequestGroup[]
  timing: GroupTiming
  /** Null when requests are not answered in turn. */
  turn: DelayTurn | null
  /** By how much arrivals may be off, to either side: nine of ten are known better. */
  lateMs: number
  /** Number of the first group that got through after a refusal. */
  settled: number
  /** Requests that headers count and this client has not sent. */
  others: number
  /**
   * The limit that headers promise, the times that they tell, and whether they call it one of
   * requests in flight, where they are followed.
   */
  promise: { limit: number; timesMs: readonly number[]; isConcurrent: boolean } | null
}

/** Whether requests are in it, of whomever: else it only tells what is left at a time. */
export function isOfRequests({ accepted, refused }: RequestGroup): boolean {
  return accepted + refused > 0
}

const NONE: readonly number[] = []

export function emptyGroup(firstMs: number, lastMs: number): RequestGroup {
  return {
    firstMs,
    lastMs,
    errorMs: 0,
    accepted: 0,
    refused: 0,
    lastAcceptedMs: -Infinity,
    firstRefusedMs: -Infinity,
    lastRefusedMs: -Infinity,
    arrivalsMs: NONE,
    sentMs: -Infinity,
    leavesMs: NONE,
    receivedMs: NONE,
    left: null,
    restored: null,
    isOthers: false,
  }
}
