/** Requests of runs as evidence of a limit: of a stretch of which all requests are known. */
import { BODY_FAULTS } from '../../../crew/observation.ts'
import { classOf } from './answer-class.ts'
import type { LimitEvidence, Observed } from './infer/interface.ts'

/** Times in milliseconds. */
interface RecordedRequest {
  sentMs: number
  receivedMs: number
  /** The status code, or the class of a failure, of the answer or of its body. */
  code: number | string
  /** The wait that the answer asked for; null for none. */
  askedMs: number | null
}

interface Gap {
  fromMs: number
  untilMs: number
}

/** The requests to one operation. */
export interface RecordedOperation {
  requests: readonly RecordedRequest[]
  /** Meanwhile others were sent that are not among them. */
  gaps: readonly Gap[]
}

export interface KnownStretch {
  evidence: LimitEvidence
  /** Requests that are known, and lie beside others that are not. */
  leftOut: number
}

/**
 * The stretch between two gaps with the most refusals, and of those the one with the most requests:
 * a limit may have counted what is missing in a gap. `zeroMs` becomes 0.
 */
export function stretchOf({ requests, gaps }: RecordedOperation, zeroMs: number): KnownStretch {
  const ordered = requests.toSorted((a, b) => a.sentMs - b.sentMs)
  const observed = classified(ordered)
  const stretches: Observed[][] = [[]]
  const bounds = merged(gaps)
  let next = 0
  for (const one of observed) {
    while (next < bounds.length && one.sentMs > bounds[next]!.untilMs) {
      next++
      stretches.push([])
    }
    if (one.receivedMs < (bounds[next]?.fromMs ?? Infinity)) stretches.at(-1)!.push(one)
  }
  const [best = []] = stretches.toSorted(
    (a, b) => refusedIn(b) - refusedIn(a) || b.length - a.length,
  )
  return {
    evidence: best.map((one) => ({
      ...one,
      sentMs: one.sentMs - zeroMs,
      receivedMs: one.receivedMs - zeroMs,
    })),
    leftOut: requests.length - best.length,
  }
}

const SECOND = 1_000
/** A body that cannot be read came with a status that was let in. */
const LET_IN: ReadonlySet<number | string> = new Set(BODY_FAULTS)
const OK = 200

function classified(ordered: readonly RecordedRequest[]): Observed[] {
  let wasAccepted = false
  return ordered.map(({ sentMs, receivedMs, code: told, askedMs }) => {
    const code = LET_IN.has(told) ? OK : told
    const answer = classOf({ code, asksToWait: askedMs !== null, wasAccepted })
    wasAccepted ||= answer === 'accepted'
    const status = typeof code === 'number' ? code : null
    const headers: Observed['headers'] =
      askedMs === null ? {} : { 'retry-after': `${askedMs / SECOND}` }
    return { sentMs, receivedMs, answer, status, headers }
  })
}

/** In order of time, those that overlap as one. */
function merged(gaps: readonly Gap[]): Gap[] {
  const spans: Gap[] = []
  for (const { fromMs, untilMs } of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = spans.at(-1)
    if (last === undefined || fromMs > last.untilMs) spans.push({ fromMs, untilMs })
    else last.untilMs = Math.max(last.untilMs, untilMs)
  }
  return spans
}

function refusedIn(stretch: readonly Observed[]): number {
  return stretch.filter(({ answer }) => answer === 'refused').length
}
