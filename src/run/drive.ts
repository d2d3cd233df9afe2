/**
 * Drives the load of a run from its zero to its end: shows its progress, and stops it when
 * something asks for that.
 */
import type { CrewPlace } from '../execution/record/crew-place.ts'
import { performance } from 'node:perf_hooks'
import type { CrewEnd, StopReason } from '../execution/record/reason.schema.ts'
import { excerpt } from '../crew/excerpt.ts'
import type { MissingInputs } from '../crew/inputs/sentences.ts'
import { createEngine } from '../engine/engine.ts'
import type { Host } from '../engine/host.ts'
import type { IncidentLine, PushLine } from '../execution/record/journal-lines.ts'
import type { Plan } from '../scenario/plan.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { Micros } from '../base/units.ts'
import type { LiveStats } from './progress.ts'
import { estimate, latenessWatch, liveProgress, shareDone } from './progress.ts'
import type { LineSink } from './line-sink.ts'
import { demandAccepted } from './target/refused-inputs.ts'
import type { RunOptions } from './options.ts'
import { messageOf } from '../base/text.ts'

const PROGRESS_EVERY_MS = 250

/** The load that is driven: one engine, or several instances as one. */
export interface Load {
  /** Microseconds since the run's zero. */
  now(): Micros
  stats(): LiveStats
  /** Sets the zero of the clock and begins. */
  begin(): void
  /**
   * Like the engine's `stop`: a stronger stop may follow a weaker one, and a load that has ended
   * ignores both.
   */
  stop(how: 'drain' | 'now', reason: StopReason): void
  /** Hears what a push reports; missing for a load that listens for none. */
  pushed?(line: PushLine): void
  /** Resolves after the last line. */
  ended: Promise<void>
}

export interface DriveOptions {
  /** Shown beside the figures. */
  place: CrewPlace
  lineSink: Pick<LineSink, 'meters' | 'refusedInputs'> & {
    /** Null for a resumed run, which sends no kickoff that could be late. */
    recorder: LineSink['recorder'] | null
  }
  /** As found by the preflight. */
  missingInputs: MissingInputs
  /** Resolves with a reason to stop everything; null when there can be no such reason. */
  died: Promise<CrewEnd> | null
  hooks: Pick<RunOptions, 'signal' | 'onStart' | 'onProgress'>
  /** Called at every progress update: returns a reason to stop kickoffs, or null. */
  abortReason: (now: Micros) => StopReason | null
  /** Writes a line that belongs to the run rather than to an execution. */
  tell: (line: IncidentLine) => void
}

/**
 * Resolves when the load has ended, or can no longer end because something threw. Throws
 * InputsRefused when the crew refused the inputs of the first kickoff.
 */
export async function drive(plan: Plan, load: Load, options: DriveOptions): Promise<void> {
  const { place, lineSink } = options
  const { signal, onStart, onProgress } = options.hooks
  let drainingSinceMicros: Micros | null = null
  let isBegun = false
  const askedBefore: (() => void)[] = []
  const stop = (how: 'drain' | 'now', reason: StopReason): void => {
    if (!isBegun) {
      // The clock stands until the load begins, and what ends before it has begun sends nothing.
      askedBefore.push(() => stop(how, reason))
      return
    }
    drainingSinceMicros ??= load.now()
    load.stop(how, reason)
  }
  const drain = (): void => stop('drain', { code: 'asked', why: 'stopped' })
  const emergency = new Emergency(plan, { now: () => load.now(), stop, tell: options.tell })
  const exceeded = latenessWatch(plan, lineSink.recorder)
  let begunMs = 0
  const left = estimate()
  const tellProgress = (isOver = false): void => {
    if (onProgress === undefined) return
    const now = load.now()
    const stats = load.stats()
    const readings = lineSink.meters.read(now)
    const done = isOver ? 1 : shareDone(plan, now, stats, readings.tookP95Micros)
    const latenessBoundMicros = exceeded()
    const far = left(done, performance.now() - begunMs)
    const facts = { place, drainingSinceMicros, latenessBoundMicros, ...far }
    onProgress(liveProgress(plan, now, stats, readings, facts))
  }
  const timer = setInterval(() => {
    const reason = options.abortReason(load.now())
    if (reason !== null && drainingSinceMicros === null) stop('drain', reason)
    tellProgress()
  }, PROGRESS_EVERY_MS)
  signal?.addEventListener('abort', drain)
  try {
    void options.died?.then((end) => stop('now', { code: 'crew-died', ...end }))
    onStart?.({
      stop: (how, why = 'interrupted') => stop(how, { code: 'asked', why: excerpt(why) }),
      fail: (error) => emergency.fail(error),
    })
    begunMs = performance.now()
    load.begin()
    isBegun = true
    for (const ask of askedBefore) ask()
    if (signal?.aborted === true) drain()
    await Promise.race([load.ended, emergency.over])
    tellProgress(true)
    demandAccepted(plan, lineSink.refusedInputs, options.missingInputs)
  } finally {
    emergency.close()
    clearInterval(timer)
    signal?.removeEventListener('abort', drain)
  }
}

interface EmergencyOptions {
  now: () => Micros
  stop: (how: 'drain' | 'now', reason: StopReason) => void
  tell: (line: IncidentLine) => void
}

/** Waited after each stop, in addition to the longest time that a request may take. */
const GRACE_MS = 5_000

/**
 * Ends a run in order when something in this process threw an uncaught exception: first by a drain,
 * then by an immediate stop, then with what is there.
 */
class Emergency {
  /** Resolves when no stop has ended the run: the exception may have disabled its engine. */
  readonly over: Promise<void>
  readonly #options: EmergencyOptions
  readonly #drainMs: number
  readonly #graceMs: number
  #timer: NodeJS.Timeout | undefined
  #giveUp = (): void => {}
  #begun = false

  constructor({ drainMicros, http }: Plan, options: EmergencyOptions) {
    this.#options = options
    this.#drainMs = drainMicros / MICROS_PER_MS
    this.#graceMs = http.requestTimeoutMicros / MICROS_PER_MS + GRACE_MS
    this.over = new Promise((resolve) => {
      this.#giveUp = resolve
    })
  }

  /** Never throws. Repeated exceptions are reported once. */
  fail(error: unknown): void {
    if (this.#begun) return
    this.#begun = true
    const message = messageOf(error)
    const note = { code: 'generator-failed', error: message } as const
    const { now, tell } = this.#options
    attempt(() => {
      const place = { instance: 0, atMicros: now(), index: null }
      tell({ type: 'incident', ...place, incident: { kind: 'note', note } })
    })
    this.#stop('drain', this.#drainMs, () => this.#stop('now', 0, this.#giveUp))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #stop(how: 'drain' | 'now', waitMs: number, otherwise: () => void): void {
    attempt(() => this.#options.stop(how, { code: 'crewload-failed' }))
    this.#timer = setTimeout(otherwise, waitMs + this.#graceMs)
  }
}

/** Whatever threw before may throw again. */
function attempt(act: () => void): void {
  try {
    act()
  } catch {
    // The run ends in any case when the time is up.
  }
}

interface EngineLoadOptions {
  runId: string
  /** As found by the preflight. */
  missingInputs: MissingInputs
  /**
   * Called when everything is set up, right before the engine starts; it sets the zero of the
   * clock.
   */
  begin: () => void
}

/** One engine on its host. `ended` resolves after the engine's `finished` line. */
export function engineLoad(plan: Plan, host: Host, options: EngineLoadOptions): Load {
  const { runId, missingInputs, begin } = options
  let tellEnded: () => void
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve
  })
  const engine = createEngine(plan, host, {
    runId,
    instance: 0,
    instances: 1,
    missingInputs,
    onDone: () => tellEnded(),
  })
  return {
    now: () => host.now(),
    stats: () => engine.stats(),
    begin: () => {
      begin()
      engine.start()
    },
    stop: (how, reason) => engine.stop(how, reason),
    pushed: (line) => engine.pushed(line),
    ended,
  }
}
