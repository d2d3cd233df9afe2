/** What k6 itself is told of every execution: named metrics for its dashboards and outputs, and the counts that its summary gives back. */
import type { FinishedLine } from '../../execution/journal.ts'
import { isAnswer, longestDelay, sawTheEnd } from '../../execution/readings.ts'
import type { ExecutionRecord, Outcome, RequestColumns } from '../../execution/record.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'

/** Counters. The last is k6's own, which a script may add to. */
export const COUNTERS = {
  /** Arrivals whose iteration began. */
  arrivals: 'crewload_arrivals',
  /** Executions that ended, arrivals that were never sent among them. */
  ended: 'crewload_ended',
  /** Time in flight, summed over executions; microseconds. */
  inFlightMicros: 'crewload_in_flight_micros',
  confirmations: 'crewload_confirmations',
  connections: 'crewload_connections',
  /** Executions that were there when the run was stopped, and how it was. */
  drained: 'crewload_drained',
  stoppedNow: 'crewload_stopped_now',
  /** Arrivals for which no VU was free. */
  unserved: 'crewload_unserved',
  /** Of the measured window alone, as are the trends: by outcome, and polls. */
  outcomes: 'crewload_outcomes',
  polls: 'crewload_polls',
  wastedPolls: 'crewload_wasted_polls',
  dropped: 'dropped_iterations',
} as const

/** Trends of times: service times of answers, intended start to known end, last time surely not done to known end, intended to handed over. */
export const TRENDS = {
  kickoff: 'crewload_kickoff_duration',
  status: 'crewload_status_duration',
  execution: 'crewload_execution_duration',
  detection: 'crewload_detection_delay',
  lateness: 'crewload_lateness',
} as const

/** k6's metrics. */
export interface Instruments {
  count(counter: keyof typeof COUNTERS, by: number, tags?: { outcome: Outcome }): void
  /** Milliseconds. */
  time(trend: keyof typeof TRENDS, ms: number): void
  /** k6's own `checks`. */
  check(name: string, passed: boolean): void
}

export class IterationMeters {
  readonly #instruments: Instruments

  constructor(instruments: Instruments) {
    this.#instruments = instruments
  }

  arrived(): void {
    this.#instruments.count('arrivals', 1)
  }

  unserved(): void {
    this.#instruments.count('unserved', 1)
    this.#instruments.count('dropped', 1)
  }

  /** Its line is written by then. */
  ended(record: ExecutionRecord): void {
    this.#instruments.count('ended', 1)
    if (!record.warmUp) this.#measure(record)
  }

  /** What the engine of one execution counted. */
  finished({ stopped, engine }: FinishedLine, connections: number): void {
    const count = (counter: keyof typeof COUNTERS, by: number): void => {
      if (by > 0) this.#instruments.count(counter, by)
    }
    count('inFlightMicros', engine.inFlightIntegralMicros)
    count('confirmations', engine.confirmations)
    count('connections', connections)
    if (stopped !== null) count(stopped === 'now' ? 'stoppedNow' : 'drained', 1)
  }

  #measure(record: ExecutionRecord): void {
    const { outcome, kickoff, polls, checks, wastedPolls } = record
    this.#instruments.count('outcomes', 1, { outcome })
    this.#request('kickoff', kickoff)
    this.#request('status', polls)
    for (const [name, passed] of Object.entries(checks)) {
      if (typeof passed === 'boolean') this.#instruments.check(name, passed)
    }
    if (record.acceptedMicros === null) return
    if (polls.answer.length > 0) this.#instruments.count('polls', polls.answer.length)
    if (wastedPolls > 0) this.#instruments.count('wastedPolls', wastedPolls)
    if (sawTheEnd(record)) this.#time('execution', record.endedMicros - record.intendedMicros)
    const delay = longestDelay(record)
    if (delay !== null) this.#time('detection', delay)
  }

  #request(operation: 'kickoff' | 'status', columns: RequestColumns): void {
    for (const late of columns.lateMicros) this.#time('lateness', late)
    for (const [i, service] of columns.serviceMicros.entries()) {
      if (service >= 0 && isAnswer(columns.answer[i]!)) this.#time(operation, service)
    }
  }

  #time(trend: keyof typeof TRENDS, micros: Micros): void {
    this.#instruments.time(trend, micros / MICROS_PER_MS)
  }
}
