/** Counts the executions of the measured window, or of the part of it that carries one tag. */
import type { CheckObservation, Group } from '../../observations.ts'
import type { Lifetimes, Sample } from '../../statistics/sample.ts'
import { longestDelay, sawTheEnd, watchedMicros } from '../../../execution/record/readings.ts'
import type { ExecutionRecord, Outcome } from '../../../execution/record/record.ts'
import { OUTCOMES } from '../../../execution/record/record.ts'
import type { DetectedEnd } from '../../ledger/reconcile.ts'
import { tagsOf } from './claims.ts'
import { BoundedByText } from './bounded-stores.ts'
import { Sketch } from '../sketch.ts'
import type { Span } from './throughput.ts'
import { ThroughputTally } from './throughput.ts'

/** The executions of the measured window, grouped by tag. */
const TAGS_KEPT = 64
/** Times of a tag are within 0.25 %. */
const SKETCH_BASE = 1.005

interface Tagged {
  group: GroupTally<Sketch>
  throughput: ThroughputTally
}

export class TagTallies {
  readonly #tags = new BoundedByText<Tagged>(TAGS_KEPT)

  record(record: ExecutionRecord): void {
    for (const tag of tagsOf(record)) {
      const tagged = this.#tags.at(tag, () => ({
        group: new GroupTally(sketch),
        throughput: new ThroughputTally(),
      }))
      tagged?.throughput.record(record)
      if (!record.warmUp) tagged?.group.record(record)
    }
  }

  /**
   * The groups by tag, sorted; where a ledger gives the detection delay of each execution, it
   * replaces the bound by polls.
   */
  groups(detected: readonly DetectedEnd[] | null, span: Span | null): Map<string, Group> {
    const sorted = [...this.#tags.values]
      .filter(([, { group }]) => group.arrivals > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const delays = detected === null ? null : byTag(detected)
    const told = sorted.map(([tag, { group, throughput }]): [string, Group] => {
      const detection =
        delays === null
          ? group.detection
          : { ...group.detection, ended: delays.get(tag) ?? sketch() }
      return [tag, group.with({ detection, throughput: throughput.within(span) })]
    })
    return new Map(told)
  }
}

function byTag(detected: readonly DetectedEnd[]): Map<string, Sketch> {
  const samples = new Map<string, Sketch>()
  for (const { tags, micros } of detected) {
    for (const tag of tags) {
      const sample = samples.get(tag) ?? sketch()
      samples.set(tag, sample)
      sample.record(micros)
    }
  }
  return samples
}

function sketch(): Sketch {
  return new Sketch(SKETCH_BASE)
}

/** A sample that can still grow. */
export interface Counting extends Sample {
  record(micros: number): void
  /** The other is of the same kind. */
  add(other: this): void
}

/**
 * Times to an event while they are counted; `never` is the number of executions that never reach
 * it.
 */
export interface CountedLifetimes<S extends Counting> extends Lifetimes {
  ended: S
  censored: S
}

/** Arrivals that were not served: for them every wait is infinite. */
const NEVER_ENDS: ReadonlySet<Outcome> = new Set(['rejected', 'unknown', 'lost', 'unreadable'])
const NEVER_ACCEPTED: ReadonlySet<Outcome> = new Set(['rejected', 'unknown'])
/**
 * Nobody waits for the end of a refused execution; only a ledger can tell the end of one that may
 * have started.
 */
const NEVER_LEARNED: ReadonlySet<Outcome> = new Set(['lost', 'unreadable'])
/** These arrivals were not sent, and so not measured. */
const NOT_DUE: ReadonlySet<Outcome> = new Set(['dropped', 'notReached'])

export class GroupTally<S extends Counting> implements Group {
  arrivals = 0
  accepted = 0
  polls = 0
  wastedPolls = 0
  withoutOutput = 0
  readonly open = 0
  readonly throughput = null
  readonly outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  readonly executions: CountedLifetimes<S>
  readonly kickoffs: CountedLifetimes<S>
  readonly completed: S
  readonly detection: CountedLifetimes<S>
  readonly checks = new Map<string, CheckObservation>()

  constructor(createSample: () => S) {
    this.executions = { ended: createSample(), censored: createSample(), never: 0 }
    this.kickoffs = { ended: createSample(), censored: createSample(), never: 0 }
    this.completed = createSample()
    this.detection = { ended: createSample(), censored: createSample(), never: 0 }
  }

  record(record: ExecutionRecord): void {
    const { outcome, acceptedMicros } = record
    this.arrivals++
    this.outcomes[outcome]++
    if (outcome === 'completed' && (record.output?.bytes ?? 0) === 0) this.withoutOutput++
    const { checks } = record
    for (const name in checks) recordCheck(this.checks, name, checks[name]!, record)
    if (NOT_DUE.has(outcome)) return
    if (acceptedMicros !== null) this.#recordAccepted(record, acceptedMicros)
    this.#recordTimes(record)
  }

  add(other: GroupTally<S>): void {
    this.arrivals += other.arrivals
    this.accepted += other.accepted
    this.polls += other.polls
    this.wastedPolls += other.wastedPolls
    this.withoutOutput += other.withoutOutput
    for (const outcome of OUTCOMES) this.outcomes[outcome] += other.outcomes[outcome]
    for (const name of ['executions', 'kickoffs', 'detection'] as const) {
      this[name].ended.add(other[name].ended)
      this[name].censored.add(other[name].censored)
      this[name].never += other[name].never
    }
    this.completed.add(other.completed)
    for (const [name, check] of other.checks) addCheck(this.checks, name, check)
  }

  /**
   * A copy with parts replaced by values from the ledger or by the executions that a crash left
   * open.
   */
  with(replaced: Partial<Group>): Group {
    const { arrivals, outcomes, accepted, open, executions, kickoffs, completed } = this
    const { detection, polls, wastedPolls, withoutOutput, checks, throughput } = this
    const counts = { arrivals, outcomes, accepted, open, polls, wastedPolls, checks, throughput }
    return { ...counts, withoutOutput, executions, kickoffs, completed, detection, ...replaced }
  }

  #recordAccepted({ polls, wastedPolls, intendedMicros }: ExecutionRecord, atMicros: number): void {
    this.accepted++
    this.polls += polls.answer.length
    this.wastedPolls += wastedPolls
    this.kickoffs.ended.record(atMicros - intendedMicros)
  }

  #recordTimes(record: ExecutionRecord): void {
    const { outcome, acceptedMicros } = record
    const total = watchedMicros(record)
    if (NEVER_ENDS.has(outcome)) this.executions.never++
    else this.executions[sawTheEnd(record) ? 'ended' : 'censored'].record(total)
    if (outcome === 'completed' && sawTheEnd(record)) this.completed.record(total)
    if (NEVER_ACCEPTED.has(outcome)) this.kickoffs.never++
    else if (acceptedMicros === null) this.kickoffs.censored.record(total)
    if (NEVER_LEARNED.has(outcome)) this.detection.never++
    const delay = longestDelay(record)
    if (delay !== null) this.detection.ended.record(delay)
  }
}

function recordCheck(
  checks: Map<string, CheckObservation>,
  name: string,
  result: boolean | string,
  { index, kickoffId }: ExecutionRecord,
): void {
  if (result === true) {
    checkOf(checks, name).passed++
    return
  }
  const what = result === false ? 'not passed' : `threw: ${result}`
  const text = `execution ${index} (${kickoffId ?? 'no id'}) ${what}`
  const [failed, threw] = result === false ? [1, 0] : [0, 1]
  addCheck(checks, name, { passed: 0, failed, threw, example: { index, text } })
}

function addCheck(
  checks: Map<string, CheckObservation>,
  name: string,
  { passed, failed, threw, example }: CheckObservation,
): void {
  const check = checkOf(checks, name)
  check.passed += passed
  check.failed += failed
  check.threw += threw
  if (example === null || (check.example !== null && check.example.index <= example.index)) return
  check.example = example
}

function checkOf(checks: Map<string, CheckObservation>, name: string): CheckObservation {
  const known = checks.get(name)
  if (known !== undefined) return known
  const check = { passed: 0, failed: 0, threw: 0, example: null }
  checks.set(name, check)
  return check
}
