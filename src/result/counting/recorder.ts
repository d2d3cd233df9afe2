/** Turns journal lines into the document of the run, in memory that does not grow with the run. */
import { assert, unreachable } from '../../base/assert.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { reportedSeconds } from '../../execution/record/readings.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { endsByCount, lastArrivalMicros } from '../../scenario/arrivals/index.ts'
import type { RunContext } from '../analyse.ts'
import { analyse } from '../analyse.ts'
import type { ResultDocument } from '../document.ts'
import type { SampledExecutions } from '../execution-row.ts'
import type { Ledger, LedgerEvidence } from '../ledger/reconcile.ts'
import { wrongInLedger } from '../ledger/reconcile.ts'
import type { OwnTimes } from '../ledger/shared-waits.ts'
import type { Measurable, Observations } from '../observations.ts'
import { countedFrom } from '../clock.ts'
import { CommonClock } from './common-clock.ts'
import { Histogram, prepareHdr } from './histogram.ts'
import type { OpenExecution } from './open-executions.ts'
import { measuredWindow, OpenExecutions } from './open-executions.ts'
import { ArrivalSeries } from './tallies/arrival-series.ts'
import { Claims } from './tallies/claims.ts'
import { ExecutionSample } from './tallies/execution-sample.ts'
import { IncidentsTally, ScenarioErrorsTally } from './tallies/incidents.ts'
import type { Peak, Span } from './tallies/flow.ts'
import { FlowTally } from './tallies/flow.ts'
import { WindowTally, TagTallies } from './tallies/window.ts'
import { Highlights } from './tallies/highlights.ts'
import { Instances } from './tallies/instances.ts'
import type { PushCounts } from './tallies/pushes.ts'
import type { PeopleCounts } from './tallies/people.ts'
import { PeopleTally } from './tallies/people.ts'
import { PushTally } from './tallies/pushes.ts'
import { RequestCounts } from './tallies/request-counts.ts'
import { TimelineRecorder } from './tallies/timeline.ts'
import { UsageRecorder } from './usage-recorder.ts'

interface RecorderOptions {
  /**
   * Keep about 200 bytes for each execution, so that `document` can compare it with a ledger.
   * Default false.
   */
  claims?: boolean
  /** Keep a sample of the executions for `executions`. Default false. */
  executions?: boolean
  /**
   * Wall clock of the run's zero in Unix milliseconds: that of the instance that began first.
   * Default: that of the first `run` line.
   */
  zeroUnixMs?: number
}

interface DocumentOptions extends RunContext {
  /** The fake crew's truth; needs the option `claims`. */
  ledger: Ledger | null
}

/**
 * Takes the lines of one or several instances in any order, except that each instance's `run` line
 * must come first when there are several. Every count is a sum and every selection a minimum or a
 * maximum, so the same lines give the same document. Warm-up arrivals appear in the timeline, the
 * contract and the validity checks, but not in the metrics.
 */
export interface Recorder {
  record(line: JournalLine): void
  /**
   * The measurements so far, for thresholds that stop a run early. When claims are kept, the
   * detection delay comes from the ledger and is unknown until then.
   */
  standing(): { observations: Measurable; open: readonly OpenExecution[] }
  /** Needs at least one `run` line. May be called again after more lines. */
  document(options: DocumentOptions): ResultDocument
  /** A sample of the executions so far; null without the option. `ledger` as in `document`. */
  executions(ledger: Ledger | null): SampledExecutions | null
  /** Frees the histograms, which live outside the JavaScript heap; call nothing afterwards. */
  destroy(): void
}

export function createRecorder(options: RecorderOptions = {}): Recorder {
  return new LineRecorder(options)
}

/** About 6 MB; up to as many events are exact. */
const FLOW_CELLS = 65_536

type Collect = (values: Iterable<number>) => Histogram

class LineRecorder implements Recorder {
  readonly #clock: CommonClock
  readonly #instances = new Instances()
  readonly #flow = new FlowTally(FLOW_CELLS)
  readonly #window = new WindowTally(() => new Histogram())
  /** How long completed executions were at work, as the crew reports. */
  readonly #reported = new Histogram()
  readonly #series = new ArrivalSeries()
  readonly #tags = new TagTallies()
  readonly #open = new OpenExecutions()
  readonly #incidents = new IncidentsTally()
  readonly #timeline = new TimelineRecorder()
  readonly #requests = new RequestCounts(this.#timeline, this.#series)
  readonly #highlights = new Highlights()
  readonly #scenarioErrors = new ScenarioErrorsTally()
  readonly #dialects = new Set<string>()
  readonly #usage = new UsageRecorder((record, metered) => {
    this.#window.usage.meter(record, metered)
    this.#series.meter(record, metered)
    this.#tags.meter(record, metered)
  })
  readonly #claims: Claims | null
  readonly #executions: ExecutionSample | null
  /** Null if the run listens for none. */
  #pushes: PushTally | null = null
  /** Null while nobody was seen to be asked. */
  #people: PeopleTally<Histogram> | null = null
  #lastSeenMicros: Micros = 0
  #inFlightSumMicros = 0

  constructor({ claims = false, executions = false, zeroUnixMs }: RecorderOptions) {
    prepareHdr()
    this.#claims = claims ? new Claims() : null
    this.#executions = executions ? new ExecutionSample() : null
    this.#clock = new CommonClock(zeroUnixMs ?? null)
  }

  record(written: JournalLine): void {
    const line = this.#clock.shifted(written)
    switch (line.type) {
      case 'run':
        this.#clock.began(line)
        this.#instances.began(line)
        this.#usage.began(line)
        if (line.plan.webhooks !== undefined) this.#pushes ??= new PushTally()
        break
      case 'started':
        this.#see(line.atMicros)
        this.#open.started(line)
        break
      case 'accepted':
        this.#see(line.atMicros)
        this.#open.accepted(line)
        this.#incidents.accepted(line.kickoffId, line.index)
        this.#pushes?.accepted(line)
        break
      case 'ended':
        this.#ended(line.record)
        break
      case 'resumed':
        this.#see(line.atMicros)
        this.#incidents.resume(line)
        this.#pushes?.resumed(line)
        break
      case 'incident':
        this.#see(line.atMicros)
        this.#incidents.line(line)
        break
      case 'finished':
        this.#see(line.atMicros)
        this.#instances.finished(line)
        break
      case 'push':
        this.#pushes?.push(line)
        this.#usage.correctUsage(line)
        break
      default:
        unreachable(line)
    }
  }

  standing(): { observations: Measurable; open: readonly OpenExecution[] } {
    const none = new Histogram()
    const untold = { detection: { ended: none, censored: none, never: 0 } }
    const window = this.#claims === null ? this.#window : this.#window.with(untold)
    const open = this.#openInWindow(this.#open.list())
    return { observations: this.#measurable({ window }), open }
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
    const reconciliation = evidence?.reconciliation ?? null
    const detection = reconciliation?.detection ?? null
    const span = this.#span()
    const window = measuredWindow(this.#window, {
      open: this.#openInWindow(open),
      lastSeenMicros: this.#lastSeenMicros,
      reconciliation,
      throughput: this.#flow.within(span),
      collect,
    })
    const observations = this.#observations(open, {
      window,
      series: detection === null ? this.#series.bins : this.#series.withDetection(detection),
      ledgerWrong: reconciliation === null ? null : wrongInLedger(reconciliation.result),
      tags: this.#tags.groups(detection, span),
      people: this.#peopleCounts(evidence?.ledger ?? null),
      pushes: this.#pushCounts(evidence?.ledger ?? null, collect),
    })
    const histograms = this.#encoded({
      'execution.censored': window.executions.censored,
      'kickoff.response': window.kickoffs.ended,
      'kickoff.response.censored': window.kickoffs.censored,
      detectionDelay: window.detection.ended,
    })
    const document = analyse(observations, context, evidence, histograms)
    for (const histogram of temporary) histogram.destroy()
    return document
  }

  executions(ledger: Ledger | null): SampledExecutions | null {
    if (this.#executions === null) return null
    const runId = this.#instances.runs[0]?.runId ?? ''
    return this.#executions.sample(runId, ledger === null ? null : this.#onRunClock(ledger))
  }

  destroy(): void {
    for (const [, histogram] of this.#histograms()) histogram.destroy()
    this.#reported.destroy()
    this.#people?.destroy((histogram) => histogram.destroy())
    const { tokens, cost } = this.#window.usage
    for (const histogram of [...Object.values(tokens), cost]) histogram.destroy()
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
    }
    const { endedMicros: atMicros, index, kickoffId } = record
    if (kickoffId !== null) this.#incidents.accepted(kickoffId, index)
    for (const violation of record.violations) {
      this.#incidents.violation(violation, { atMicros, index, kickoffId })
    }
    this.#scenarioErrors.record(record)
    this.#claims?.record(record)
    this.#executions?.offer(record)
    this.#pushes?.ended(record)
    this.#timeline.execution(record)
    this.#flow.record(record)
    this.#tags.record(record)
    this.#requests.record(record)
    if (record.warmUp) this.#incidents.warmUp(record)
    else this.#measure(record)
    this.#usage.ended(record)
  }

  /** Records what counts only in the measured window. */
  #measure(record: ExecutionRecord): void {
    this.#window.record(record)
    const seconds = record.outcome === 'completed' ? reportedSeconds(record) : null
    if (seconds !== null) this.#reported.record(Math.round(seconds * MICROS_PER_SECOND))
    this.#series.record(record)
    if (record.people !== undefined) {
      this.#people ??= new PeopleTally(() => new Histogram())
      this.#people.record(record)
    }
    this.#incidents.reason(record)
    this.#highlights.offer(record)
  }

  #evidence(unshifted: Ledger, open: readonly OpenExecution[], collect: Collect): LedgerEvidence {
    assert(this.#claims !== null, 'a ledger needs a recorder that keeps claims')
    const ledger = this.#onRunClock(unshifted)
    const runId = this.#instances.runs[0]?.runId ?? ''
    const errorOf = (instance: number): Micros => this.#clock.errorOf(instance)
    const indexes = new Set(open.map(({ index }) => index))
    const reconciliation = this.#claims.against(ledger, runId, errorOf, indexes)
    const { ownTimes, queueMicros, runningMicros } = reconciliation
    const of = (key: keyof OwnTimes): Histogram =>
      collect(ownTimes.map((each) => Math.round(each[key] * MICROS_PER_MS)))
    return {
      ledger,
      reconciliation,
      queue: collect(queueMicros),
      running: collect(runningMicros),
      shared:
        ownTimes.length === 0
          ? null
          : { quota: of('quotaMs'), slowed: of('slowedMs'), own: of('ownMs') },
    }
  }

  #onRunClock(ledger: Ledger): Ledger {
    const zeroUnixMs = this.#clock.zeroUnixMs ?? 0
    return { ...ledger, clock: countedFrom(zeroUnixMs, ledger.clock) }
  }

  #peopleCounts(ledger: Ledger | null): PeopleCounts | null {
    return this.#people?.counts(ledger, this.#instances.runs[0]?.runId ?? '') ?? null
  }

  #pushCounts(ledger: Ledger | null, collect: Collect): PushCounts | null {
    const runId = this.#instances.runs[0]?.runId ?? ''
    return this.#pushes?.counts(ledger, runId, collect) ?? null
  }

  #measurable(known: Partial<Measurable>): Measurable {
    const finished = this.#instances.finishedLines
    const confirmations = finished.reduce((sum, { engine }) => sum + engine.confirmations, 0)
    const answers = this.#requests.answers + confirmations
    return {
      window: this.#window,
      series: this.#series.bins,
      requests: this.#requests,
      lateness: this.#requests.lateness,
      contract: { answers, confirmations, rules: this.#incidents.rules },
      inFlight: null,
      people: this.#peopleCounts(null),
      pushes: null,
      ledgerWrong: null,
      isPriced: this.#usage.isPriced,
      probes: this.#incidents.probes,
      ...known,
    }
  }

  /**
   * A single engine counts exactly. For several engines, or one that cannot count or did not
   * finish, the peak is computed from the records.
   */
  #peak(open: readonly OpenExecution[]): Peak {
    const [only, ...others] = this.#instances.finishedLines
    const alone = others.length === 0 && this.#instances.runs.length === 1
    const counted = alone ? only?.engine.maxInFlight : null
    return typeof counted === 'number'
      ? { least: counted, most: counted }
      : this.#flow.peak(open.flatMap(({ acceptedMicros }) => acceptedMicros ?? []))
  }

  #observations(
    open: readonly OpenExecution[],
    known: Pick<Observations, 'window' | 'series' | 'ledgerWrong' | 'tags' | 'people' | 'pushes'>,
  ): Observations {
    const { runs, finishedLines: finished } = this.#instances
    const instances = this.#instances.tallies(this.#requests.lateness)
    const hosts = finished.map(({ host }) => host)
    const incidents = this.#incidents
    this.#timeline.reach(this.#lastSeenMicros)
    return {
      ...this.#measurable({ ...known, inFlight: this.#peak(open) }),
      tags: known.tags,
      runs,
      finished,
      instances,
      lastSeenMicros: this.#lastSeenMicros,
      endedLines: sum(instances, 'endedLines'),
      inFlightSumMicros: this.#inFlightSumMicros,
      open,
      resumed: incidents.resumed.size,
      cutMicros: incidents.cutMicros,
      wasCut: incidents.wasCut,
      lastDueMicros: this.#lastDueMicros,
      warmUpOutcomes: incidents.warmUpOutcomes,
      scenarioErrors: this.#scenarioErrors.errors,
      reported: this.#reported,
      usage: this.#usage.account,
      reasons: incidents.reasons(this.#window.outcomes),
      dialects: this.#dialects,
      losses: incidents.losses,
      clockSteps: Math.max(sum(hosts, 'clockSteps'), incidents.clockSteps),
      journalErrors: Math.max(sum(hosts, 'journalErrors'), incidents.journalErrors),
      journalTrouble: incidents.journalTrouble,
      notes: incidents.notes,
      missingInputs: incidents.missingInputs,
      timeline: this.#timeline.snapshot(open),
      strips: this.#highlights.strips,
      samples: this.#highlights.samples,
    }
  }

  /** The arrivals that a resumption gives up unsent were not sent from the cut on. */
  get #lastDueMicros(): Micros | null {
    const { firstUnreachedMicros } = this.#timeline
    const { cutMicros } = this.#incidents
    return firstUnreachedMicros === null || cutMicros === null
      ? firstUnreachedMicros
      : Math.min(firstUnreachedMicros, cutMicros)
  }

  #openInWindow(open: readonly OpenExecution[]): OpenExecution[] {
    const warmUpMicros = this.#instances.runs[0]?.plan.warmUpMicros ?? 0
    return open.filter(
      ({ instance, intendedMicros }) =>
        intendedMicros - this.#clock.shiftOf(instance) >= warmUpMicros,
    )
  }

  /**
   * From the end of the warm-up to the end of the arrivals, or to the moment when they were cut
   * off; null when a number of iterations ends them.
   */
  #span(): Span | null {
    const plan = this.#instances.runs[0]?.plan
    if (plan === undefined || endsByCount(plan.arrivals)) return null
    const { warmUpMicros, arrivals } = plan
    const toMicros = Math.min(lastArrivalMicros(arrivals), this.#lastDueMicros ?? Infinity)
    return toMicros > warmUpMicros ? { fromMicros: warmUpMicros, toMicros } : null
  }

  #histograms(): [string, Histogram][] {
    const { executions, completed, kickoffs, detection } = this.#window
    return [
      ['execution', executions.ended],
      ['execution.censored', executions.censored],
      ['execution.completed', completed],
      ['kickoff.response', kickoffs.ended],
      ['kickoff.response.censored', kickoffs.censored],
      ['detectionDelay', detection.ended],
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
