/**
 * Adds the record of an ended execution to the metrics. Labels have few values, whatever a target
 * answers.
 */
import { longestDelay, sawTheEnd, watchedMicros } from '../../execution/record/readings.ts'
import type { ExecutionRecord, RequestColumns } from '../../execution/record/record.ts'
import { requestsIn } from '../../execution/record/request.ts'
import type { Micros } from '../../base/units.ts'
import type { AddSample } from './metrics.ts'
import type { MeasuredOperation } from '../../crew/answer.ts'

/** The metrics that follow from records alone, under every engine. */
type FromRecords =
  | 'crewload.outcomes'
  | 'crewload.checks'
  | 'crewload.requests'
  | 'crewload.polls.wasted'
  | 'crewload.violations'
  | 'crewload.kickoff.response.duration'
  | 'crewload.status.response.duration'
  | 'crewload.execution.duration'
  | 'crewload.detection.delay'

/** Arrivals of the warm-up add nothing, as in the result of the run. */
export function recordSamples(record: ExecutionRecord, add: AddSample<FromRecords>): void {
  if (record.warmUp) return
  const { outcome, checks, violations, acceptedMicros, wastedPolls } = record
  const byOutcome = { outcome }
  add('crewload.outcomes', 1, byOutcome)
  for (const [check, passed] of Object.entries(checks)) {
    const result = typeof passed === 'string' ? 'error' : passed ? 'passed' : 'failed'
    add('crewload.checks', 1, { check, result })
  }
  addRequests(add, record.kickoff, 'kickoff')
  addRequests(add, record.polls, 'status')
  if (wastedPolls > 0) add('crewload.polls.wasted', wastedPolls, NONE)
  for (const { rule } of violations) add('crewload.violations', 1, { rule })
  if (acceptedMicros !== null) {
    add('crewload.kickoff.response.duration', acceptedMicros - record.intendedMicros, NONE)
  }
  if (sawTheEnd(record)) add('crewload.execution.duration', watchedMicros(record), byOutcome)
  const delayMicros = longestDelay(record)
  if (delayMicros !== null) add('crewload.detection.delay', delayMicros, byOutcome)
  addPolls(record, (micros) => add('crewload.status.response.duration', micros, NONE))
}

const NONE = {}

function addRequests(
  add: AddSample<FromRecords>,
  { answer }: RequestColumns,
  operation: MeasuredOperation,
): void {
  for (const each of answer) add('crewload.requests', 1, { operation, answer: answerLabel(each) })
}

/** Adds the response times of usable answers. */
function addPolls({ polls }: ExecutionRecord, take: (micros: Micros) => void): void {
  for (const { isAnswered, isError, intendedMicros, doneMicros } of requestsIn(polls, 0)) {
    if (isAnswered && !isError) take(doneMicros - intendedMicros)
  }
}

/**
 * The codes of the IANA registry, and those that proxies and content networks are known to use: 499
 * (nginx), 520 to 526 (Cloudflare), 529 and 598.
 */
const KNOWN = new Set<number>([
  ...range(100, 103),
  ...range(200, 208),
  226,
  ...range(300, 305),
  307,
  308,
  ...range(400, 418),
  ...range(421, 426),
  428,
  429,
  431,
  451,
  499,
  ...range(500, 508),
  510,
  511,
  ...range(520, 526),
  529,
  598,
])

/**
 * RFC 9110, section 15: a client treats an unrecognised code as the x00 of its class, and a code
 * outside 100 to 599 as a server error.
 */
export function statusLabel(code: number): number {
  if (KNOWN.has(code)) return code
  return code >= 100 && code <= 599 ? Math.floor(code / 100) * 100 : 500
}

/** A status code, folded, or the class of a failure. */
export function answerLabel(answer: number | string): string {
  return typeof answer === 'number' ? String(statusLabel(answer)) : answer
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
