/** Counts the executions of the measured window, or of the part of it that carries one tag. */
import type { Counting, Lifetimes } from '../../statistics/sample.ts'
import { addLifetimes, lifetimesIn } from '../../statistics/sample.ts'
import { longestDelay, sawTheEnd, watchedMicros } from '../../../execution/record/readings.ts'
import type { ExecutionRecord, Outcome } from '../../../execution/record/record.ts'
import { noOutcomes, OUTCOMES } from '../../../execution/record/record.ts'
import type { DetectedEnd } from '../../ledger/reconcile.ts'
import { tagsOf } from './claims.ts'
import { BoundedByText } from '../../../base/collections/bounded-stores.ts'
import type { Span, Throughput } from './flow.ts'
import { FlowTally } from './flow.ts'
import { Sketch } from '../sketch.ts'
import type { Metered } from './usage.ts'
import { UsageTally } from './usage.ts'

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

interface CheckCount {
  passed: number
  failed: number
  threw: number
  /** The text of the arrival with the lowest index. */
  example: { index: number; text: string } | null
}

export class WindowTally<S extends Counting = Counting> {
  /** Arrivals whose outcome is known: `outcomes` sums to it. */
  arrivals = 0
  readonly outcomes = noOutcomes()
  /** Started, but left without an outcome by a crash. */
  readonly open: number = 0
  accepted = 0
  polls = 0
  wastedPolls = 0
  /** Completed without a final output, or with an empty one. */
  withoutOutput = 0
  readonly throughput: Throughput | null = null
  /**
   * Intended to the end known, over all arrivals that were due: an unserved one waits forever, an
   * aborted one is censored.
   */
  readonly executions: Lifetimes<S>
  /** Intended to accepted, in the same way. */
  readonly kickoffs: Lifetimes<S>
  readonly completed: S
  /**
   * Detection delays: from the ledger, or the upper bound by polls; never for executions whose end
   * the client did not learn.
   */
  readonly detection: Lifetimes<S>
  readonly checks = new Map<string, CheckCount>()
  readonly usage: UsageTally<S>

  constructor(createSample: () => S) {
    this.executions = lifetimesIn(createSample)
    this.kickoffs = lifetimesIn(createSample)
    this.completed = createSample()
    this.detection = lifetimesIn(createSample)
    this.usage = new UsageTally(createSample)
  }

  record(record: ExecutionRecord): void {
    const { outcome, acceptedMicros, checks } = record
    this.arrivals++
    this.outcomes[outcome]++
    if (outcome === 'completed' && (record.output?.bytes ?? 0) === 0) this.withoutOutput++
    for (const name in checks) this.#recordCheck(name, checks[name]!, record)
    if (NOT_DUE.has(outcome)) return
    this.usage.record(record)
    if (acceptedMicros !== null) {
      this.accepted++
      this.polls += record.polls.answer.length
      this.wastedPolls += record.wastedPolls
      this.kickoffs.ended.record(acceptedMicros - record.intendedMicros)
    }
    this.#recordTimes(record)
  }

  add(other: WindowTally<S>): void {
    for (const name of ['arrivals', 'accepted', 'polls', 'wastedPolls', 'withoutOutput'] as const) {
      this[name] += other[name]
    }
    for (const outcome of OUTCOMES) this.outcomes[outcome] += other.outcomes[outcome]
    for (const name of ['executions', 'kickoffs', 'detection'] as const) {
      addLifetimes(this[name], other[name])
    }
    this.completed.add(other.completed)
    this.usage.add(other.usage)
    for (const [name, check] of other.checks) this.#addCheck(name, check)
  }

  /** A copy with parts that the ledger knows better, or that a crash left open. */
  with(replaced: Partial<WindowTally<S>>): WindowTally<S> {
    return Object.assign(new WindowTally(() => this.completed), this, replaced)
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

  #recordCheck(
    name: string,
    result: boolean | string,
    { index, kickoffId }: ExecutionRecord,
  ): void {
    if (result === true) {
      this.#checkOf(name).passed++
      return
    }
    const what = result === false ? 'not passed' : `threw: ${result}`
    const text = `execution ${index} (${kickoffId ?? 'no id'}) ${what}`
    const [failed, threw] = result === false ? [1, 0] : [0, 1]
    this.#addCheck(name, { passed: 0, failed, threw, example: { index, text } })
  }

  #addCheck(name: string, { passed, failed, threw, example }: CheckCount): void {
    const check = this.#checkOf(name)
    check.passed += passed
    check.failed += failed
    check.threw += threw
    if (example !== null && example.index < (check.example?.index ?? Infinity)) {
      check.example = example
    }
  }

  #checkOf(name: string): CheckCount {
    const check = this.checks.get(name) ?? { passed: 0, failed: 0, threw: 0, example: null }
    this.checks.set(name, check)
    return check
  }
}

const TAGS_KEPT = 64
/** Times of a tag are within 0.25 %. */
const TAG_SKETCH_BASE = 1.005
const TAG_CELLS = 2_048

/** The executions of the measured window, grouped by tag. */
export class TagTallies {
  readonly #tags = new BoundedByText<{ group: WindowTally<Sketch>; flow: FlowTally }>(TAGS_KEPT)

  record(record: ExecutionRecord): void {
    for (const tag of tagsOf(record)) {
      const tagged = this.#tags.at(tag, () => ({
        group: new WindowTally(sketch),
        flow: new FlowTally(TAG_CELLS),
      }))
      tagged?.flow.record(record)
      if (!record.warmUp) tagged?.group.record(record)
    }
  }

  /** After `record`: what an execution of the window used. */
  meter(record: ExecutionRecord, metered: Metered): void {
    for (const tag of tagsOf(record)) this.#tags.values.get(tag)?.group.usage.meter(record, metered)
  }

  /**
   * The groups by tag, sorted; where a ledger gives the detection delay of each execution, it
   * replaces the bound by polls.
   */
  groups(detected: readonly DetectedEnd[] | null, span: Span | null): Map<string, WindowTally> {
    const sorted = [...this.#tags.values]
      .filter(([, { group }]) => group.arrivals > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const delays = detected === null ? null : byTag(detected)
    return new Map(
      sorted.map(([tag, { group, flow }]) => {
        const ended = delays === null ? group.detection.ended : (delays.get(tag) ?? sketch())
        const detection = { ...group.detection, ended }
        return [tag, group.with({ detection, throughput: flow.within(span) })]
      }),
    )
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
  return new Sketch(TAG_SKETCH_BASE)
}
