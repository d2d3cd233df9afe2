/**
 * What the inference of a rate limiter reads and answers: evidence goes in, and out comes the next
 * experiment or a conclusion. All times are milliseconds on one monotonic clock, fractions allowed.
 */
import { isRefusal } from '../../../../crew/answer.ts'
import type { LimitedOperation, LimitScope, OperationLimit, RateLimit } from '../../document.ts'
import type { LimitCaveat } from '../../sentences/reasons.ts'

/** How one request was answered, as far as a limiter is concerned. */
export interface LimiterAnswer {
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
  /** The wait that a recorded answer asked for: of its headers nothing else is kept. */
  askedMs?: number | null
}

/** The same on a clock whose zero is so much earlier. */
export function laterBy<One extends LimiterAnswer>(ms: number, one: One): One {
  const { sentMs, receivedMs, burstMs } = one
  const burst = burstMs === undefined ? {} : { burstMs: burstMs + ms }
  return { ...one, sentMs: sentMs + ms, receivedMs: receivedMs + ms, ...burst }
}

/** All requests to one operation so far, in any order. */
export type LimitEvidence = readonly LimiterAnswer[]

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
  /** Only how many get in altogether is known: which of them, is within the jitter. */
  isDrain: boolean
}

export interface Experiment extends ExperimentPlan {
  kind: 'experiment'
  /** What it is to settle, as a sentence for the user. */
  purpose: string
}

/** What a limiter is after some evidence: the part of the document that the inference knows. */
export interface Conclusion extends Pick<
  OperationLimit,
  'outcome' | 'headers' | 'also' | 'others' | 'replay'
> {
  kind: 'conclusion'
  rateLimit: RateLimit
  /** Why the answer is less than it could be, beside its outcome. */
  caveats: readonly LimitCaveat[]
  requests: number
}

/** What was asked of one operation, and concluded. */
export interface ProbedOperation {
  operation: LimitedOperation
  conclusion: Conclusion
  scope: LimitScope
  /** Its experiments began after this time; what was sent before served other operations. */
  beganAfterMs: number
  evidence: LimitEvidence
  /** The body of the first refusal. */
  body: string | null
  /** By a run, of whose headers the journal keeps alone how long they asked to wait. */
  isRecorded: boolean
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

export interface ClassifiedAnswer {
  /** Null, or the class of a failure, where no answer came that can be read. */
  code: number | string | null
  /** Whether it asks for a wait. */
  asksToWait: boolean
  /** Whether the same token was let in before. */
  wasAccepted: boolean
}

/**
 * A 404 or 422 is no refusal: the limiter let the request through. Under a probe a 503 is one, and
 * a 403 from a target that says when to come back, or has let the same token in before.
 */
export function classOf({
  code,
  asksToWait,
  wasAccepted,
}: ClassifiedAnswer): LimiterAnswer['answer'] {
  if (typeof code !== 'number') return 'failed'
  if (isRefusal(code, asksToWait || wasAccepted || code === 503)) return 'refused'
  return code >= 500 || code === 401 || code === 403 ? 'failed' : 'accepted'
}

/** A limit of which nothing is known. */
export const UNKNOWN: RateLimit = {
  kind: 'unknown',
  sameAs: [],
  probability: 0,
  ratePerSecond: null,
  capacity: null,
  limit: null,
  windowMs: null,
  aligned: null,
  concurrency: null,
  blockMs: null,
  open: [],
  delaying: false,
  countsRefused: null,
  safePerSecond: null,
  runnerUp: null,
}
