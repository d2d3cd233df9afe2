/** Counts the executions of the measured window, or of the part of it that carries one tag. */
import type { CheckObservation, Group } from '../analysis/observations.ts'
import type { Lifetimes, Sample } from '../analysis/statistics/sample.ts'
import { longestDelay, sawTheEnd, watchedMicros } from '../execution/readings.ts'
import type { ExecutionRecord, Outcome } from '../execution/record.ts'
import { OUTCOMES } from '../execution/record.ts'

/** A sample that can still grow. */
export interface Counting extends Sample {
  record(micros: number): void
}

export class GroupTally<S extends Counting> implements Group {
  arrivals = 0
  accepted = 0
  polls = 0
  wastedPolls = 0
  firstIntendedMicros = Infinity
  lastAcceptedMicros = -Infinity
  lastEndedMicros = -Infinity
  readonly outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  readonly executions: { ended: S; censored: S; never: number }
  readonly completed: S
  readonly detection: S
  readonly checks = new Map<string, CheckObservation>()

  constructor(createSample: () => S) {
    this.executions = { ended: createSample(), censored: createSample(), never: 0 }
    this.completed = createSample()
    this.detection = createSample()
  }

  record(record: ExecutionRecord): void {
    this.arrivals++
    this.outcomes[record.outcome]++
    this.firstIntendedMicros = Math.min(this.firstIntendedMicros, record.intendedMicros)
    this.lastEndedMicros = Math.max(this.lastEndedMicros, record.endedMicros)
    for (const [name, result] of Object.entries(record.checks)) {
      recordCheck(this.checks, name, result, record)
    }
    if (record.acceptedMicros !== null) this.#recordAccepted(record, record.acceptedMicros)
  }

  /** With other samples in their place: the ledger's, or those of executions that a crash left open. */
  with(executions: Lifetimes, detection: Sample): Group {
    return {
      arrivals: this.arrivals,
      outcomes: this.outcomes,
      accepted: this.accepted,
      executions,
      completed: this.completed,
      detection,
      polls: this.polls,
      wastedPolls: this.wastedPolls,
      checks: this.checks,
      firstIntendedMicros: this.firstIntendedMicros,
      lastAcceptedMicros: this.lastAcceptedMicros,
      lastEndedMicros: this.lastEndedMicros,
    }
  }

  #recordAccepted(record: ExecutionRecord, acceptedMicros: number): void {
    this.accepted++
    this.polls += record.polls.answer.length
    this.wastedPolls += record.wastedPolls
    this.lastAcceptedMicros = Math.max(this.lastAcceptedMicros, acceptedMicros)
    const ended = sawTheEnd(record)
    const total = watchedMicros(record)
    this.executions[ended ? 'ended' : 'censored'].record(total)
    if (ended && record.outcome === 'completed') this.completed.record(total)
    const delay = longestDelay(record)
    if (delay !== null) this.detection.record(delay)
  }
}

function recordCheck(
  checks: Map<string, CheckObservation>,
  name: string,
  result: boolean | string,
  { index, kickoffId }: ExecutionRecord,
): void {
  const check = checks.get(name) ?? { passed: 0, failed: 0, threw: 0, example: null }
  checks.set(name, check)
  if (result === true) {
    check.passed++
    return
  }
  if (result === false) check.failed++
  else check.threw++
  if (check.example !== null && check.example.index <= index) return
  const what = result === false ? 'not passed' : `threw: ${result}`
  check.example = { index, text: `execution ${index} (${kickoffId ?? 'no id'}) ${what}` }
}
