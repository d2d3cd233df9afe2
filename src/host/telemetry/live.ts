/** Turns what a run reports while it goes, its lines and answers, into samples of the metrics. */
import type { Answer, Operation, MeasuredOperation } from '../../crew/answer.ts'
import { isMeasured } from '../../crew/answer.ts'
import type { JournalLine, RunLine } from '../../execution/record/journal-lines.ts'
import type { TelemetryNote } from '../../execution/record/notes.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { RequestColumns, ExecutionRecord } from '../../execution/record/record.ts'
import {
  isAnswer,
  longestDelay,
  sawTheEnd,
  watchedMicros,
} from '../../execution/record/readings.ts'
import type { Micros } from '../../base/units.ts'
import type { AddSample, Labels } from './metrics.ts'
import { requestsIn } from '../../execution/record/request.ts'

/** Exports the metrics of a run while it runs. */
export interface MetricsExporter {
  /** Must be cheap, and must not throw. */
  add: AddSample
  /** Receives whole lines, for an exporter that reports more than samples. Must not throw. */
  saw?: (line: JournalLine) => void
  /**
   * Sends what is left and releases all resources, within a few seconds whatever the receiver does.
   * Returns each loss.
   */
  close(): Promise<TelemetryNote[]>
}

/** The operations that are measured. */

export const ROUTES = {
  kickoff: { 'http.request.method': 'POST', 'url.template': '/kickoff' },
  status: { 'http.request.method': 'GET', 'url.template': '/status/{kickoff_id}' },
} as const satisfies Record<MeasuredOperation, Labels>

/** One run with all its instances: what they add is summed. */
export class LiveTelemetry {
  readonly #add: AddSample
  /** The labels of requests by operation and answer, of which there are few. */
  readonly #labels = new Map<string, Labels>()
  readonly #inFlight = new Set<number>()
  readonly #server: Labels
  #isNamed = false
  #requestsFromRecords = false

  /** `target`: the base URL, of which host and port become labels. */
  constructor(target: string, add: AddSample) {
    this.#server = serverOf(target)
    this.#add = add
  }

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'run':
        return this.#named(line)
      case 'started':
        return this.#add('crewload.executions.started', 1, NONE)
      case 'accepted':
        this.#inFlight.add(line.index)
        return this.#add('crewload.executions.in_flight', 1, NONE)
      case 'ended':
        return this.#ended(line.record)
      default:
    }
  }

  /** The request for the inputs, which comes before the load, is not measured. */
  answered(operation: Operation, answer: Answer): void {
    if (!isMeasured(operation)) return
    const { releasedMicros, sentMicros, doneMicros } = answer.timing
    const micros = doneMicros - (sentMicros ?? releasedMicros)
    this.#took(operation, micros, answer.kind === 'answer' ? answer.status : answer.class)
  }

  /** The service time of one request, and its status code or the class of its failure. */
  #took(operation: MeasuredOperation, micros: Micros, answer: AnswerCode): void {
    this.#add('http.client.request.duration', micros, this.#labelsOf(operation, answer))
  }

  #named({ scenario, engine, crewload }: RunLine): void {
    if (this.#isNamed) return
    this.#isNamed = true
    // k6 reports no answer before its execution has ended.
    this.#requestsFromRecords = engine === 'k6'
    this.#add('crewload.run.info', 1, { scenario, engine, version: crewload })
  }

  #ended(record: Extract<JournalLine, { type: 'ended' }>['record']): void {
    if (this.#inFlight.delete(record.index)) this.#add('crewload.executions.in_flight', -1, NONE)
    for (const columns of [record.kickoff, record.polls]) {
      for (const late of columns.lateMicros) this.#add('crewload.lateness', late, NONE)
    }
    if (this.#requestsFromRecords) {
      this.#tookAll('kickoff', record.kickoff)
      this.#tookAll('status', record.polls)
    }
    recordSamples(record, this.#add)
  }

  #tookAll(
    operation: MeasuredOperation,
    { serviceMicros, waitMicros, answer }: RequestColumns,
  ): void {
    for (const [i, service] of serviceMicros.entries()) {
      this.#took(operation, service < 0 ? waitMicros[i]! : service, answer[i]!)
    }
  }

  #labelsOf(operation: MeasuredOperation, answer: AnswerCode): Labels {
    const label = answerLabel(answer)
    const key = `${operation} ${label}`
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    const labels = {
      ...ROUTES[operation],
      ...this.#server,
      ...(typeof answer === 'number' ? { 'http.response.status_code': statusLabel(answer) } : {}),
      ...(isFine(answer) ? {} : { 'error.type': label }),
    }
    this.#labels.set(key, labels)
    return labels
  }
}

const NONE = {}

/** An answer from 100 to 399 that could be read. */
export function isFine(answer: AnswerCode): boolean {
  return isAnswer(answer) && typeof answer === 'number' && answer >= 100 && answer < 400
}

function serverOf(target: string): Labels {
  const { hostname, port, protocol } = new URL(target)
  const usual = protocol === 'https:' ? 443 : 80
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? usual : Number(port),
  }
}

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
