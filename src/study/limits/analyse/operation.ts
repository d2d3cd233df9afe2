/** One operation: from the conclusion of its inference to the document. */
import { toDigits } from '../../../base/numbers.ts'
import { counted } from '../../../base/collections/counts.ts'
import type { LimitScope, OperationLimit, ParameterEstimate, RateLimit } from '../document.ts'
import { LIKELY, isSettled } from '../document.ts'
import { retryAfterMs } from './infer/evidence/promise.ts'
import type {
  Conclusion,
  LimitEvidence,
  LimiterAnswer,
  ProbedOperation,
} from './infer/interface.ts'
import { waitMsAfterRefusal } from './infer/steady-client.ts'
import type { LimitReason } from '../sentences/reasons.ts'
import { REASONS } from '../sentences/reasons.ts'
import { reasonOf } from '../../../result/sentence-tables.ts'
import { quantileOf } from '../../../result/statistics/quantiles.ts'

/** Of an operation of which it was not tried who shares its limit. */
export const UNTRIED: LimitScope = { token: null, path: null, sharedWith: null, tried: [] }

const SECOND = 1_000

export function operationLimit(probed: ProbedOperation): OperationLimit {
  const { conclusion, scope, evidence } = probed
  const { rateLimit, headers, outcome } = conclusion
  const ordered = evidence.toSorted((a, b) => a.sentMs - b.sentMs)
  const own = ordered.find(({ sentMs }) => sentMs > probed.beganAfterMs)
  const startMs = (own ?? ordered[0])?.sentMs ?? 0
  const isSure = outcome === 'settled' && headers?.usedUp !== false
  const { probability } = rateLimit
  const limit: OperationLimit = {
    ...roundest(rateLimit),
    probability: isSure || rateLimit.kind === 'none' ? probability : Math.min(LIKELY, probability),
    scope,
    headers,
    safePerSecond: outcome === 'settled' ? leastPerSecond(conclusion) : null,
    triedPerSecond: mostPerSecond(ordered),
    requests: evidence.length,
    roundTripMs: roundTripsIn(evidence),
    also: conclusion.also.map(roundest),
    others: conclusion.others,
    outcome,
    reasons: [],
    refusal: refusalOf(ordered, probed),
    failures: failuresIn(evidence),
    replay: conclusion.replay,
    evidence: ordered.map((one) => shown(one, startMs)),
  }
  return isSettled(limit) ? limit : { ...limit, reasons: reasonsOf(probed) }
}

/** Why the limit of an operation is not answered. */
export function reasonsOf({ operation, conclusion, isRecorded }: ProbedOperation): LimitReason[] {
  const { outcome, caveats, requests, rateLimit } = conclusion
  const { kind, runnerUp } = rateLimit
  const open = { kind, runnerUp: runnerUp?.kind ?? null, requests }
  const known = { operation, recorded: isRecorded, ...open }
  if (caveats.length === 0 || outcome === 'lost') {
    return [reasonOf(REASONS, outcome, { ...known, caveat: null })]
  }
  const isCut = outcome === 'stopped' || outcome === 'time-spent'
  return caveats.map((caveat) =>
    isCut
      ? reasonOf(REASONS, outcome, { ...known, caveat })
      : reasonOf(REASONS, caveat.code, { ...known, ...caveat }),
  )
}

/** What was neither let in nor refused, the commonest first. */
function failuresIn(evidence: LimitEvidence): OperationLimit['failures'] {
  const failed = evidence.filter(({ answer }) => answer === 'failed')
  return counted(failed.map(({ status }) => status)).map(([status, requests]) => ({
    status,
    requests,
  }))
}

function roundTripsIn(evidence: LimitEvidence): OperationLimit['roundTripMs'] {
  const trips = evidence
    .map(({ sentMs, receivedMs }) => rounded(receivedMs - sentMs))
    .sort((a, b) => a - b)
  const at = (share: number): number => quantileOf(trips, share)!
  return trips.length === 0 ? null : { p50: at(0.5), p90: at(0.9), max: at(1) }
}

/** Every limit that is known has to be kept. */
function leastPerSecond({ rateLimit, also, headers }: Conclusion): number | null {
  const { limit = null, windowMs = null } = headers ?? {}
  // Where no refusal was met, what headers promise is the only bound that is known.
  const isPromised = rateLimit.kind === 'none' && limit !== null && windowMs !== null
  const own = isPromised ? limit / (windowMs / SECOND) : rateLimit.safePerSecond
  const known = [own, ...also.map(({ safePerSecond }) => safePerSecond)]
  const rates = known.filter((rate) => rate !== null)
  return rates.length === 0 ? null : Math.min(...rates)
}

function shown(
  { sentMs, burstMs, answer }: LimiterAnswer,
  startMs: number,
): OperationLimit['evidence'][number] {
  const atMs = rounded(sentMs - startMs)
  if (burstMs === undefined) return { atMs, answer }
  return { atMs, burstMs: rounded(burstMs - startMs), answer }
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}

/** Two pointers over the requests in order of time. */
function mostPerSecond(ordered: readonly LimiterAnswer[]): number {
  let most = 0
  let first = 0
  for (const [last, { sentMs }] of ordered.entries()) {
    while (ordered[first]!.sentMs < sentMs - SECOND) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** Header fields that speak of limits, in any dialect. */
const LIMIT_HEADER = /rate-?limit|retry-after|quota/

function refusalOf(
  ordered: readonly LimiterAnswer[],
  { body, conclusion, isRecorded }: ProbedOperation,
): OperationLimit['refusal'] {
  const first = ordered.find(({ answer }) => answer === 'refused')
  if (first === undefined) return null
  const headers = Object.entries(first.headers).filter(
    ([name]) => !isRecorded && LIMIT_HEADER.test(name),
  )
  return {
    status: first.status ?? 0,
    retryAfterMs: retryAfterMs(first),
    waitMs: conclusion.outcome === 'settled' ? longestWaitMs(conclusion) : null,
    body: body ?? '',
    headers: Object.fromEntries(headers),
  }
}

/** Any of the limits may have refused; null where time alone does not tell for one of them. */
function longestWaitMs({ rateLimit, also }: Conclusion): number | null {
  const waits = [rateLimit, ...also].map(waitMsAfterRefusal)
  const known = waits.filter((ms) => ms !== null)
  return known.length === waits.length ? Math.max(...known) : null
}

/** With values as people configure them: counts are whole, times and rates as round as may be. */
function roundest<Limit extends RateLimit>(limit: Limit): Limit {
  const { ratePerSecond, capacity, limit: count, windowMs, concurrency, blockMs } = limit
  return {
    ...limit,
    ratePerSecond: valued(ratePerSecond, rateIn),
    capacity: valued(capacity, wholeIn),
    limit: valued(count, wholeIn),
    windowMs: valued(windowMs, roundestIn),
    concurrency: valued(concurrency, wholeIn),
    blockMs: valued(blockMs, roundestIn),
  }
}

function valued(
  estimate: ParameterEstimate | null,
  valueIn: (estimate: ParameterEstimate) => number,
): ParameterEstimate | null {
  return estimate === null ? null : { ...estimate, value: valueIn(estimate) }
}

function wholeIn({ value }: ParameterEstimate): number {
  return Math.round(value)
}

/** So many a second, or one in so long. */
function rateIn(estimate: ParameterEstimate): number {
  const { value, low, high } = estimate
  if (value >= 1) return roundestIn(estimate)
  return SECOND / roundestIn({ value: SECOND / value, low: SECOND / high, high: SECOND / low })
}

/** Steps of a decade, from the roundest on: 10, 50, 20 or 25, then single digits. */
const STEPS = [10, 5, 2.5, 2, 1]
/** A window of 60 s, 5 min or an hour is rounder than its digits say. */
const TIMES_MS = [3_600_000, 1_800_000, 900_000, 600_000, 300_000, 120_000, 60_000, 30_000]

/**
 * The roundest number within the interval: limits are configured by people. It is the nearest to
 * the value where several are as round, and the value itself, to four digits, where none is.
 */
export function roundestIn({ value, low, high }: ParameterEstimate): number {
  const time = TIMES_MS.find((each) => each >= low && each <= high)
  if (time !== undefined) return time
  const decade = 10 ** Math.floor(Math.log10(value))
  for (const scale of [decade, decade / 10, decade / 100]) {
    for (const step of STEPS) {
      const nearest = Math.round(value / (step * scale)) * step * scale
      if (nearest > 0 && nearest >= low && nearest <= high) return toDigits(nearest, 12)
    }
  }
  return toDigits(value, 4)
}
