/**
 * The instances of a run that was cut, resumed as one load: one engine each, on its own host and on
 * the clock that it had.
 */
import type { StopReason } from '../../execution/record/reason.schema.ts'
import { remainingArrivals } from '../../engine/arrivals.ts'
import type { RunningEngine } from '../../engine/engine.ts'
import { createEngine } from '../../engine/engine.ts'
import { pickUp } from '../../execution/pick-up.ts'
import type { FinishedLine, JournalLine, PushLine } from '../../execution/record/journal-lines.ts'
import type { Outcome } from '../../execution/record/record.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createRandom } from '../../base/random.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import { withTimeLeft } from '../../scenario/time-budget.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import type { Load } from '../drive.ts'
import type { LiveStats } from '../progress.ts'

interface ResumedLoadOptions {
  /** One host for each of `instances`, in their order. */
  hosts: readonly NodeHost[]
  instances: readonly UnfinishedInstance[]
  /** Arrivals that were started, or that ended without a start. */
  begun: ReadonlySet<number>
  /** Why nothing can be polled; null when it can. */
  unreachable: StopReason | null
  /** Whether the run receives pushes again. */
  listens: boolean
  /** Called when the clocks run. */
  onBegun: () => void
}

export class ResumedLoad implements Load {
  readonly ended: Promise<void>
  readonly #plan: Plan
  readonly #options: ResumedLoadOptions
  #engines: readonly RunningEngine[] = []
  #left: number
  #tellEnded: () => void = () => {}

  constructor(plan: Plan, options: ResumedLoadOptions) {
    this.#plan = plan
    this.#options = options
    this.#left = options.instances.length
    this.ended = new Promise((resolve) => {
      this.#tellEnded = resolve
    })
  }

  now(): Micros {
    return this.#options.hosts[0]?.now() ?? 0
  }

  stats(): LiveStats {
    const all = this.#engines.map((engine) => engine.stats())
    const sum = (of: (stats: (typeof all)[number]) => number): number =>
      all.reduce((total, stats) => total + of(stats), 0)
    const outcomes = OUTCOMES.map((name) => [name, sum((stats) => stats.outcomes[name])])
    return {
      started: sum(({ started }) => started),
      inFlight: sum(({ inFlight }) => inFlight),
      queued: 0,
      outcomes: Object.fromEntries(outcomes) as Record<Outcome, number>,
      lastArrivalMicros: 0,
    }
  }

  /**
   * The clocks continue: each zero is where the wall clock had it, which is exact unless the wall
   * clock was set meanwhile.
   */
  begin(): void {
    const { hosts, instances, unreachable, listens } = this.#options
    for (const [i, host] of hosts.entries()) {
      host.startClockAt(instances[i]!.run.anchorUnixMs)
      if (!instances[i]!.begun) host.emit(instances[i]!.run)
      host.emit(resumedLine(instances[i]!, host, listens))
    }
    this.#engines = hosts.map((host, i) => this.#engine(host, instances[i]!))
    for (const engine of this.#engines) {
      if (unreachable !== null) engine.stop('now', unreachable)
      engine.start()
    }
    this.#options.onBegun()
  }

  pushed(line: PushLine): void {
    for (const engine of this.#engines) engine.pushed(line)
  }

  stop(how: 'drain' | 'now', reason: StopReason): void {
    for (const engine of this.#engines) engine.stop(how, reason)
  }

  #engine(host: NodeHost, own: UnfinishedInstance): RunningEngine {
    const { run, left, lastMicros, workedMicros } = own
    const plan = withTimeLeft(this.#plan, workedMicros, host.now())
    const { runId, instance, instances } = run
    const random = createRandom(plan.seed)
    return createEngine(plan, host, {
      runId,
      instance,
      instances,
      arrivals: remainingArrivals(plan, random, { instance, instances }, this.#options.begun),
      remainder: { left, pickUp, cutMicros: lastMicros },
      onDone: () => {
        this.#left--
        if (this.#left === 0) this.#tellEnded()
      },
    })
  }
}

function resumedLine(
  { run, left, lastMicros, waiting }: UnfinishedInstance,
  host: NodeHost,
  listens: boolean,
): JournalLine {
  return {
    type: 'resumed',
    instance: run.instance,
    anchorUnixMs: run.anchorUnixMs,
    atMicros: host.now(),
    cutMicros: lastMicros,
    indexes: left.map(({ arrival }) => arrival.index),
    ...(waiting === 0 ? {} : { waiting }),
    ...(listens ? { listens } : {}),
  }
}

/**
 * The last line of an instance covers all of it, including what it had ended before the cut. Of the
 * former process's health only the number of lost lines is kept.
 */
export function wholeFinished(
  line: FinishedLine,
  { ended, journalErrors }: UnfinishedInstance,
): FinishedLine {
  const { engine, host } = line
  return {
    ...line,
    engine: {
      ...engine,
      arrivals: engine.arrivals + ended,
      ended: engine.ended + ended,
      maxInFlight: null,
    },
    host: {
      ...host,
      journalErrors: host.journalErrors + journalErrors,
      utilisationSustained: null,
      utilisationMean: null,
      connectionsOpened: null,
    },
  }
}
