/** The recorder: journal lines in, the document of the run out, in memory that does not grow with the run. */
import type { RunContext } from '../analysis/analyse.ts'
import { analyse } from '../analysis/analyse.ts'
import { countedFrom } from '../analysis/clock.ts'
import type { Metric, ResultDocument } from '../analysis/document.ts'
import type { Measurable } from '../analysis/measure.ts'
import { measure } from '../analysis/measure.ts'
import type { Observations, OpenExecution, Peak } from '../analysis/observations.ts'
import { planFacts } from '../analysis/plan-facts.ts'
import type { Ledger } from '../analysis/reconcile.ts'
import { assert, unreachable } from '../assert.ts'
import type { JournalLine } from '../execution/journal.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import { parseMetric } from '../scenario/metrics.ts'
import type { Micros } from '../units.ts'
import { Claims } from './claims.ts'
import { CommonClock } from './common-clock.ts'
import { FindingsTally } from './findings-tally.ts'
import { GroupTally } from './group-tally.ts'
import { Highlights } from './highlights.ts'
import { prepareHdr } from './hdr.ts'
import { Histogram } from './histogram.ts'
import { InFlightTally } from './in-flight-tally.ts'
import { Instances } from './instances.ts'
import { OpenExecutions } from './open-executions.ts'
import { RequestCounts } from './request-counts.ts'
import { ScenarioErrorsTally } from './scenario-errors.ts'
import { TagTallies } from './tag-tallies.ts'
import { TimelineRecorder } from './timeline.ts'

export interface RecorderOptions {
  /** Keep about 200 bytes for each execution, so that `document` can hold them against a ledger. Default false. */
  claims?: boolean
  /** Wall clock of the run's zero, Unix milliseconds: that of the instance that began first. Default: of the first `run` line. */
  zeroUnixMs?: number
}

interface DocumentOptions extends RunContext {
  /** The fake crew's truth; needs the option `claims`. */
  ledger: Ledger | null
}

/**
 * Takes the lines of one or several instances in any order, but that each instance's `run` line comes first where there are several:
 * every count is a sum, every choice a smallest or a largest, so that the same lines give the same document. Warm-up arrivals stand in the timeline, the contract and the checks of validity, not in the metrics.
 */
export interface Recorder {
  record(line: JournalLine): void
  /**
   * As measured so far, for thresholds that stop a run early. Where claims are kept the ledger will tell the detection delay, and till
   * then it is not known. About 0.1 ms, 10 ms for quantiles when something is censored.
   */
  metric(name: string): Metric
  /** Needs at least one `run` line. May be called again as more lines come. */
  document(options: DocumentOptions): ResultDocument
  /** Frees the histograms, which live outside the JavaScript heap; nothing may be called afterwards. */
  destroy(): void
}

export function createRecorder(options: RecorderOptions = {}): Recorder {
  return new LineRecorder(options)
}

/** Makes a histogram that lives as long as one call of `document`. */
type Collect = (values: Iterable<number>) => Histogram

class LineRecorder implements Recorder {
  readonly #clock: CommonClock
  readonly #instances = new Instances()
  readonly #inFlight = new InFlightTally()
  readonly #window = new GroupTally(() => new Histogram())
  readonly #tags = new TagTallies()
  readonly #open = new OpenExecutions()
  readonly #findings = new FindingsTally()
  readonly #timeline = new TimelineRecorder()
  readonly #requests = new RequestCounts(this.#timeline)
  readonly #highlights = new Highlights()
  readonly #scenarioErrors = new ScenarioErrorsTally()
  readonly #dialects = new Set<string>()
  readonly #claims: Claims | null
  #lastSeenMicros: Micros = 0
  #warmUpArrivals = 0
  #inFlightSumMicros = 0

  constructor({ claims = false, zeroUnixMs }: RecorderOptions) {
    prepareHdr()
    this.#claims = claims ? new Claims() : null
    this.#clock = new CommonClock(zeroUnixMs ?? null)
  }

  record(told: JournalLine): void {
    const line = this.#clock.shifted(told)
    switch (line.type) {
      case 'run':
        this.#clock.began(line)
        this.#instances.began(line)
        break
      case 'started':
        this.#see(line.atMicros)
        this.#open.started(line)
        break
      case 'accepted':
        this.#see(line.atMicros)
        this.#open.accepted(line)
        this.#findings.accepted(line.kickoffId, line.index)
        break
      case 'ended':
        this.#ended(line.record)
        break
      case 'resumed':
        this.#see(line.atMicros)
        this.#findings.resumed(line)
        break
      case 'finding':
        this.#see(line.atMicros)
        this.#findings.line(line)
        break
      case 'finished':
        this.#see(line.atMicros)
        this.#instances.finished(line)
        break
      default:
        unreachable(line)
    }
  }

  metric(name: string): Metric {
    const metric = measure(name, this.#measurable())
    const needsLedger = parseMetric(name)?.kind === 'detectionDelay' && this.#claims !== null
    return needsLedger ? { ...metric, value: null, low: null, high: null } : metric
  }

  document({ ledger, ...context }: DocumentOptions): ResultDocument {
    const temporary: Histogram[] = []
    const collect: Collect = (values) => {
      const histogram = Histogram.of(values)
      temporary.push(histogram)
      return histogram
    }
    const open = this.#open.list()
    const evidence = ledger === null ? null : this.#evidence(ledger, open, collect)
    const censored = this.#censored(open, collect)
    const detection =
      evidence === null ? this.#window.detection : collect(evidence.reconciliation.detectionMicros)
    const window = this.#window.with({ ...this.#window.executions, censored }, detection)
    const tags = this.#tags.groups(evidence?.reconciliation.detectionByTag ?? null)
    const observations = { ...this.#observations(open), window, tags }
    const histograms = this.#encoded({ 'execution.censored': censored, detectionDelay: detection })
    const document = analyse(observations, context, evidence, histograms)
    for (const histogram of temporary) histogram.destroy()
    return document
  }

  destroy(): void {
    for (const [, histogram] of this.#histograms()) histogram.destroy()
  }

  #see(atMicros: Micros): void {
    this.#lastSeenMicros = Math.max(this.#lastSeenMicros, atMicros)
  }

  #ended(record: ExecutionRecord): void {
    this.#see(record.endedMicros)
    this.#instances.ended(record)
    this.#open.ended(record)
    if (record.dialect !== null) this.#dialects.add(record.dialect)
    if (record.acceptedMicros !== null) {
      this.#inFlightSumMicros += record.endedMicros - record.acceptedMicros
      this.#inFlight.accepted(record.acceptedMicros)
      this.#inFlight.ended(record.endedMicros)
    }
    const { endedMicros: atMicros, index, kickoffId } = record
    if (kickoffId !== null) this.#findings.accepted(kickoffId, index)
    for (const violation of record.violations) {
      this.#findings.violation(violation, { atMicros, index, kickoffId })
    }
    this.#scenarioErrors.record(record)
    this.#claims?.record(record)
    this.#timeline.execution(record)
    this.#requests.record(record)
    if (record.warmUp) this.#warmUpArrivals++
    else this.#measure(record)
  }

  /** What counts in the measured window alone. */
  #measure(record: ExecutionRecord): void {
    this.#window.record(record)
    this.#findings.reason(record)
    this.#highlights.offer(record)
    this.#tags.record(record)
  }

  #evidence({ clock: crews, ...told }: Ledger, open: readonly OpenExecution[], collect: Collect) {
    assert(this.#claims !== null, 'a ledger needs a recorder that keeps claims')
    const ledger = { ...told, clock: countedFrom(this.#clock.zeroUnixMs ?? 0, crews) }
    const runId = this.#instances.runs[0]?.runId ?? ''
    const errorOf = (instance: number): Micros => this.#clock.errorOf(instance)
    const indexes = new Set(open.map(({ index }) => index))
    const reconciliation = this.#claims.against(ledger, runId, errorOf, indexes)
    const queue = collect(reconciliation.queueMicros)
    const running = collect(reconciliation.runningMicros)
    return { ledger, reconciliation, queue, running }
  }

  #measurable(inFlight: Peak | null = null): Measurable {
    const finished = this.#instances.finishedLines
    const confirmations = finished.reduce((sum, { engine }) => sum + engine.confirmations, 0)
    return {
      window: this.#window,
      requests: this.#requests,
      lateness: this.#requests.lateness,
      contract: { answers: this.#requests.answers + confirmations, rules: this.#findings.rules },
      inFlight,
    }
  }

  /** A single engine counts exactly; of several, of one that cannot know or did not finish, the records tell. */
  #peak(acceptedAndOpen: readonly Micros[]): Peak {
    const [only, ...others] = this.#instances.finishedLines
    const alone = others.length === 0 && this.#instances.runs.length === 1
    const counted = alone ? only?.engine.maxInFlight : null
    return typeof counted === 'number'
      ? { least: counted, most: counted }
      : this.#inFlight.peak(acceptedAndOpen)
  }

  #observations(open: readonly OpenExecution[]): Omit<Observations, 'window' | 'tags'> {
    const { runs, finishedLines: finished, endedLines } = this.#instances
    const hosts = finished.map(({ host }) => host)
    const acceptedAndOpen = open.flatMap(({ acceptedMicros }) => acceptedMicros ?? [])
    this.#timeline.reach(this.#lastSeenMicros)
    return {
      ...this.#measurable(this.#peak(acceptedAndOpen)),
      runs,
      finished,
      instances: this.#instances.observations(this.#requests.lateness),
      lastSeenMicros: this.#lastSeenMicros,
      endedLines,
      inFlightSumMicros: this.#inFlightSumMicros,
      open,
      ...this.#findings.resumption,
      lastDueMicros: this.#lastDueMicros,
      warmUpArrivals: this.#warmUpArrivals,
      scenarioErrors: this.#scenarioErrors.errors,
      reasons: this.#findings.reasons(this.#window.outcomes),
      dialects: this.#dialects,
      losses: this.#findings.losses,
      probes: this.#findings.probes,
      clockSteps: Math.max(sum(hosts, 'clockSteps'), this.#findings.clockSteps),
      journalErrors: Math.max(sum(hosts, 'journalErrors'), this.#findings.journalErrors),
      notes: this.#findings.notes,
      timeline: this.#timeline.snapshot(open),
      strips: this.#highlights.strips,
      samples: this.#highlights.samples,
    }
  }

  /** What a resumption gives up unsent was not sent from the cut on. */
  get #lastDueMicros(): Micros | null {
    const { firstUnreachedMicros } = this.#timeline
    const { cutMicros } = this.#findings.resumption
    return firstUnreachedMicros === null || cutMicros === null
      ? firstUnreachedMicros
      : Math.min(firstUnreachedMicros, cutMicros)
  }

  /** Executions that a crash left in flight are watched to the last moment that any line tells. */
  #censored(open: readonly OpenExecution[], collect: Collect): Histogram {
    const { censored } = this.#window.executions
    const { warmUpMicros } = planFacts(this.#instances.runs[0]?.plan)
    const watched = open
      .filter(
        ({ instance, acceptedMicros, intendedMicros }) =>
          acceptedMicros !== null && intendedMicros - this.#clock.shiftOf(instance) >= warmUpMicros,
      )
      .map(({ intendedMicros }) => this.#lastSeenMicros - intendedMicros)
    if (watched.length === 0) return censored
    const all = collect(watched)
    all.add(censored)
    return all
  }

  #histograms(): [string, Histogram][] {
    const { executions, completed, detection } = this.#window
    return [
      ['execution', executions.ended],
      ['execution.censored', executions.censored],
      ['execution.completed', completed],
      ['detectionDelay', detection],
      ...this.#requests.histograms(),
    ]
  }

  #encoded(replaced: Readonly<Record<string, Histogram>>): Record<string, string> {
    const histograms = { ...Object.fromEntries(this.#histograms()), ...replaced }
    return Object.fromEntries(
      Object.entries(histograms)
        .filter(([, { n }]) => n > 0)
        .map(([name, histogram]) => [name, histogram.encode()]),
    )
  }
}

function sum<K extends string>(rows: readonly Record<K, number>[], key: K): number {
  return rows.reduce((total, row) => total + row[key], 0)
}
