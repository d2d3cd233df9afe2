/**
 * What the inference of a rate limiter reads and answers: evidence goes in, and out comes the next
 * experiment or a conclusion. All times are milliseconds on one monotonic clock, fractions allowed.
 */

import type { LimiterKind } from '../../../frame/limiter-kinds.ts'

/** One request and what became of it. */
export interface Observed {
  sentMs: number
  /**
   * Shared by all that were sent together, where each has a time of its own at which it was
   * written; without it, those with the same `sentMs` were.
   */
  burstMs?: number
  receivedMs: number
  /**
   * `refused` means that a limiter may have answered: 429, 503, 529, or 403 where others get
   * through. `failed` is every other error, and no answer at all: it says nothing about a limit.
   */
  answer: 'accepted' | 'refused' | 'failed'
  /** Null when there was no answer. */
  status: number | null
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
}

/** All requests to one operation so far, in any order. */
export type LimitEvidence = readonly Observed[]

/** `count` requests at once, `afterMs` after the start of their experiment. */
export interface Send {
  afterMs: number
  count: number
}

export interface ExperimentPlan {
  /** On the clock of the evidence; a time that has passed means now. */
  startMs: number
  /** In order of time; at least one. A send does not wait for the answers to those before it. */
  sends: readonly Send[]
  /** As soon as one answer of this kind has come, no later send goes out. */
  until: 'accepted' | 'refused' | null
  /** Only how many get in altogether is told: which of them, is within the jitter. */
  isDrain: boolean
}

export interface Experiment extends ExperimentPlan {
  kind: 'experiment'
  /** What it is to settle, as a sentence for the user. */
  purpose: string
}

/** A value and the interval in which the evidence leaves it. */
export interface ParameterEstimate {
  value: number
  low: number
  high: number
}

/** What is known of the limiter of one operation; null where a field has no part in the kind. */
export interface InferredLimit {
  kind: LimiterKind
  /** Other names for a limiter that no client could tell from this one. */
  sameAs: readonly LimiterKind[]
  /** The probability of the kind with its twins, 0 to 1. */
  probability: number
  /** Buckets: tokens a second. */
  ratePerSecond: ParameterEstimate | null
  /** Buckets: tokens, whole. */
  capacity: ParameterEstimate | null
  /** Windows, logs, counters and penalties: requests in a window, whole. */
  limit: ParameterEstimate | null
  windowMs: ParameterEstimate | null
  aligned: 'calendar' | 'first-hit' | 'last-hit' | null
  /** Requests in flight at once, whole. */
  concurrency: ParameterEstimate | null
  blockMs: ParameterEstimate | null
  /** Whether requests ahead of the rate are held back. */
  delaying: boolean
  /** Null when no client could tell. */
  countsRefused: boolean | null
  /** Requests a second that a single steady client may send; null when no bound is known. */
  safePerSecond: number | null
  runnerUp: { kind: LimiterKind; probability: number } | null
}

/** What the headers of the answers promise, and whether experiments bear it out. */
interface HeaderFinding {
  /** Names of the fields that were read. */
  dialect: string
  limit: number | null
  windowMs: number | null
  /** Null where nothing was found that they could be held against. */
  truthful: boolean | null
  /** Whether the limit was used up: if not, it is known from headers alone. */
  usedUp: boolean
  /** One sentence for each promise that was broken. */
  lies: readonly string[]
}

/** Another limit of the same operation. */
interface InferredFurtherLimit {
  finding: InferredLimit
  /** `measured`: a steady client met it. `promised`: headers tell it, and it is not checked. */
  basis: 'measured' | 'promised'
}

export interface Conclusion {
  kind: 'conclusion'
  /** `settled`: the kind is as good as certain. Otherwise why it is not. */
  outcome: 'settled' | 'cannot-tell' | 'budget-spent' | 'blocked' | 'target-fails'
  finding: InferredLimit
  headers: HeaderFinding | null
  also: readonly InferredFurtherLimit[]
  /** Requests that headers count and this client has not sent. */
  others: number
  /** Whole sentences: what limits the answer, and what would settle it. */
  reasons: readonly string[]
  requests: number
  /** How the finding predicts the evidence: answers predicted right, of all that say something. */
  replay: { predicted: number; of: number }
}

export interface InferenceOptions {
  /** Requests, default 600; never exceeded. */
  maxRequests?: number
  /** Without a refusal, no more requests than this are sent at once; default 160. */
  mostAtOnce?: number
  /** No experiment waits longer than this, default 15 minutes. */
  maxPauseMs?: number
  /** How long requests are sent at the safe rate, to meet a second limit; default 0, not at all. */
  sustainMs?: number
  /** With fewer requests than this left no more are sent for that, default 20. */
  sustainKeeps?: number
  /**
   * A limit that headers promise is used up, where that takes no more requests than this and it is
   * back soon: only then is it more than a promise. Default 0, as few requests as possible.
   */
  mostToTest?: number
  /** Whether promises in headers are used, default true. */
  readHeaders?: boolean
  /**
   * Requests to other operations, or with other tokens, which may have used up the same limit: each
   * entry is a set of which all may have. In any order, on the same clock. Default none.
   */
  earlier?: readonly LimitEvidence[]
}
