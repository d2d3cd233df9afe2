/** What is told of one operation: from the conclusion of its inference to the document. */
import { MICROS_PER_MS } from '../../../base/units.ts'
import { retryAfterMicros } from '../../../crew/retry-after.ts'
import type {
  FurtherLimit,
  LimitRefusal,
  LimitScope,
  LimitedOperation,
  OperationLimit,
} from '../document.ts'
import type {
  Conclusion,
  ParameterEstimate,
  LimitEvidence,
  InferredLimit,
  Observed,
} from './infer/interface.ts'
import { waitMsAfterRefusal } from './infer/steady-client.ts'

export interface ProbedOperation {
  operation: LimitedOperation
  conclusion: Omit<Conclusion, 'outcome'> & {
    outcome: Conclusion['outcome'] | 'stopped' | 'time-spent' | 'lost'
  }
  /** Null where it was not tried. */
  scope: LimitScope | null
  /** Its experiments began after this time; what was sent before served other operations. */
  beganAfterMs: number
  evidence: LimitEvidence
  /** The body of the first refusal. */
  body: string | null
  /** By a run, of whose headers the journal keeps alone how long they asked to wait. */
  isRecorded: boolean
}

/** Header fields that speak of limits, in any dialect. */
const LIMIT_HEADER = /rate-?limit|retry-after|quota/
const SECOND = 1_000

export function operationLimit(probed: ProbedOperation): OperationLimit {
  const { conclusion, scope, evidence } = probed
  const { finding, headers, replay, reasons, outcome } = conclusion
  const ordered = evidence.toSorted((a, b) => a.sentMs - b.sentMs)
  const own = ordered.find(({ sentMs }) => sentMs > probed.beganAfterMs)
  const startMs = (own ?? ordered[0])?.sentMs ?? 0
  const limit = plainLimit(finding)
  return {
    ...limit,
    probability: confirmed(limit, outcome, headers?.usedUp !== false),
    scope: scope ?? { token: null, path: null, address: null, sharedWith: null, tried: [] },
    headers: headers === null ? null : promisesOf(headers, probed.isRecorded),
    safePerSecond: outcome === 'settled' ? leastPerSecond(conclusion) : null,
    triedPerSecond: mostPerSecond(ordered),
    requests: evidence.length,
    roundTripMs: roundTripsIn(evidence),
    runnerUp: finding.runnerUp,
    also: conclusion.also.map(({ finding: each, basis }) => ({ ...plainLimit(each), basis })),
    others: conclusion.others,
    outcome: outcome === 'lost' ? 'target-fails' : outcome,
    reasons: [...reasons],
    refusal: refusalOf(ordered, probed),
    failures: failuresIn(evidence),
    replay,
    evidence: ordered.map((one) => shown(one, startMs)),
  }
}

/**
 * Before experiments have confirmed it, more than this is claimed of kinds that turn out wrong more
 * often: of 99 % that a prototype claimed without them, 96.8 % were right.
 */
const UNCONFIRMED = 0.95

function confirmed(
  { kind, probability }: Pick<OperationLimit, 'kind' | 'probability'>,
  outcome: ProbedOperation['conclusion']['outcome'],
  isTested: boolean,
): number {
  if ((outcome === 'settled' && isTested) || kind === 'none') return probability
  return Math.min(UNCONFIRMED, probability)
}

/** What was neither let in nor refused, the commonest first. */
function failuresIn(evidence: LimitEvidence): OperationLimit['failures'] {
  const counts = new Map<number | null, number>()
  for (const { answer, status } of evidence) {
    if (answer === 'failed') counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return [...counts]
    .map(([status, requests]) => ({ status, requests }))
    .sort((a, b) => b.requests - a.requests)
}

/** Of a recorded wait it is not known which header asked for it. */
function promisesOf(
  headers: NonNullable<Conclusion['headers']>,
  isRecorded: boolean,
): OperationLimit['headers'] {
  const { lies, dialect } = headers
  if (!isRecorded) return { ...headers, lies: [...lies] }
  return {
    ...headers,
    dialect: dialect.replace('Retry-After', RECORDED_WAIT),
    lies: lies.map((lie) => lie.replace('Retry-After', 'The wait that refusals ask for')),
  }
}

const RECORDED_WAIT = 'Retry-After or a used-up quota'

function plainLimit(finding: InferredLimit): Omit<FurtherLimit, 'basis'> {
  const { ratePerSecond, capacity, limit, windowMs, concurrency, blockMs } = finding
  return {
    kind: finding.kind,
    sameAs: [...finding.sameAs],
    probability: finding.probability,
    rate: ratePerSecond === null ? null : rateOf(ratePerSecond),
    capacity: wholeOf(capacity?.value),
    limit: wholeOf(limit?.value),
    windowMs: windowMs === null ? null : roundestIn(windowMs),
    aligned: finding.aligned,
    concurrency: wholeOf(concurrency?.value),
    blockMs: blockMs === null ? null : roundestIn(blockMs),
    delaying: finding.delaying,
    countsRefused: finding.countsRefused,
    open: openIn(finding),
    intervals: { ratePerSecond, capacity, limit, windowMs, concurrency, blockMs },
  }
}

function roundTripsIn(evidence: LimitEvidence): OperationLimit['roundTripMs'] {
  const trips = evidence
    .map(({ sentMs, receivedMs }) => rounded(receivedMs - sentMs))
    .sort((a, b) => a - b)
  const at = (share: number): number => trips[Math.floor(share * (trips.length - 1))]!
  return trips.length === 0 ? null : { p50: at(0.5), p90: at(0.9), max: at(1) }
}

/** Every limit that is known has to be kept. */
function leastPerSecond(conclusion: ProbedOperation['conclusion']): number | null {
  const { finding, also } = conclusion
  const own = finding.safePerSecond ?? promisedPerSecond(conclusion)
  const rates = [own, ...also.map(({ finding: { safePerSecond } }) => safePerSecond)]
  const known = rates.filter((rate) => rate !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Where no refusal was met, what headers promise is the only bound that is known. */
function promisedPerSecond({ finding, headers }: ProbedOperation['conclusion']): number | null {
  if (finding.kind !== 'none' || headers === null) return null
  const { limit, windowMs } = headers
  return limit === null || windowMs === null ? null : limit / (windowMs / SECOND)
}

/** As a person would write it: so many a second, or one in so long. */
function rateOf(estimate: ParameterEstimate): { count: number; perMs: number } {
  if (estimate.value >= 1) return { count: roundestIn(estimate), perMs: SECOND }
  const { value, low, high } = estimate
  const every = { value: SECOND / value, low: SECOND / high, high: SECOND / low }
  return { count: 1, perMs: roundestIn(every) }
}

function wholeOf(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value)
}

function shown(
  { sentMs, burstMs, answer }: Observed,
  startMs: number,
): OperationLimit['evidence'][number] {
  const atMs = rounded(sentMs - startMs)
  return burstMs === undefined
    ? { atMs, answer }
    : { atMs, burstMs: rounded(burstMs - startMs), answer }
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}

/** Two pointers over the requests in order of time. */
function mostPerSecond(ordered: readonly Observed[]): number {
  let most = 0
  let first = 0
  for (const [last, { sentMs }] of ordered.entries()) {
    while (ordered[first]!.sentMs < sentMs - SECOND) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

function refusalOf(
  ordered: readonly Observed[],
  { body, conclusion, isRecorded }: ProbedOperation,
): LimitRefusal | null {
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
function longestWaitMs({ finding, also }: ProbedOperation['conclusion']): number | null {
  const waits = [finding, ...also.map((each) => each.finding)].map(waitMsAfterRefusal)
  const known = waits.filter((ms) => ms !== null)
  return known.length === waits.length ? Math.max(...known) : null
}

function retryAfterMs({ headers }: Observed): number | null {
  const micros = retryAfterMicros(headers)
  return micros === null ? null : micros / MICROS_PER_MS
}

const PARAMETERS = ['ratePerSecond', 'capacity', 'limit', 'windowMs', 'blockMs'] as const
type OpenParameter = (typeof PARAMETERS)[number]
type Intervals = Readonly<Record<OpenParameter, ParameterEstimate | null>>

/** A time or a rate is claimed that is known within this share of it; a count that is exact. */
const CLAIMED = 0.05
const COUNTS: ReadonlySet<OpenParameter> = new Set(['capacity', 'limit'])

/** What of a limit is not claimed: parameters that the evidence leaves too wide an interval. */
export function openIn(intervals: Intervals): OpenParameter[] {
  return PARAMETERS.filter((name) => {
    const estimate = intervals[name]
    return estimate !== null && isOpen(estimate, COUNTS.has(name))
  })
}

function isOpen({ value, low, high }: ParameterEstimate, isCount: boolean): boolean {
  if (isCount) return Math.round(low) !== Math.round(high)
  return low < value * (1 - CLAIMED) || high > value * (1 + CLAIMED)
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
      if (nearest > 0 && nearest >= low && nearest <= high) return Number(nearest.toPrecision(12))
    }
  }
  return Number(value.toPrecision(4))
}
