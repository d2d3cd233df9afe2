/** Turns what a run reports while it goes, its lines and answers, into samples of the metrics. */
import type { Answer, Operation, MeasuredOperation } from '../../crew/answer.ts'
import type { JournalLine, RunLine } from '../../execution/record/journal-lines.ts'
import type { ErrorClass, RequestColumns } from '../../execution/record/record.ts'
import { isAnswer } from '../../execution/record/readings.ts'
import type { Micros } from '../../base/units.ts'
import type { AddSample, Labels } from './metrics.ts'
import { answerLabel, recordSamples, statusLabel } from './samples.ts'

/** Exports the metrics of a run while it runs. */
export interface MetricsExporter {
  /** Must be cheap, and must not throw. */
  add: AddSample
  /** Receives whole lines, for an exporter that reports more than samples. Must not throw. */
  saw?: (line: JournalLine) => void
  /**
   * Sends what is left and releases all resources, within a few seconds whatever the receiver does.
   * Returns a sentence about each loss.
   */
  close(): Promise<string[]>
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

  /** The one request for the inputs comes before the load, and is not measured. */
  answered(operation: Operation, answer: Answer): void {
    if (operation === 'inputs') return
    const { releasedMicros, sentMicros, doneMicros } = answer.timing
    const micros = doneMicros - (sentMicros ?? releasedMicros)
    this.#took(operation, micros, answer.kind === 'answer' ? answer.status : answer.class)
  }

  /** The service time of one request, and its status code or the class of its failure. */
  #took(operation: MeasuredOperation, micros: Micros, answer: number | ErrorClass): void {
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

  #labelsOf(operation: MeasuredOperation, answer: number | ErrorClass): Labels {
    const told = answerLabel(answer)
    const key = `${operation} ${told}`
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    const labels = {
      ...ROUTES[operation],
      ...this.#server,
      ...(typeof answer === 'number' ? { 'http.response.status_code': statusLabel(answer) } : {}),
      ...(isFine(answer) ? {} : { 'error.type': told }),
    }
    this.#labels.set(key, labels)
    return labels
  }
}

const NONE = {}

/** An answer from 100 to 399 that could be read. */
export function isFine(answer: number | ErrorClass): boolean {
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
