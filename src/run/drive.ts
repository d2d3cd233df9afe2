/** Drives one engine over its host to the end, and shows how it goes on the way. */
import { createEngine } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { FinishedLine } from '../execution/journal.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import type { Host } from '../engine/host.ts'
import type { LiveProgress } from '../report/index.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Micros } from '../units.ts'
import { liveProgress } from './live.ts'
import type { Meters } from './meters.ts'
import type { RunControl } from './options.ts'

const PROGRESS_EVERY_MS = 250

export interface DriveOptions {
  runId: string
  /** Shown beside the figures. */
  target: string
  profile: string | null
  meters: Meters
  /** Called when everything is set up, right before the engine starts: sets the zero of the clock. */
  begin: () => void
  /** Resolves with a reason to stop everything; null when there can be none. */
  died: Promise<string> | null
  signal?: AbortSignal | undefined
  onStart?: ((control: RunControl) => void) | undefined
  onProgress?: ((live: LiveProgress) => void) | undefined
  onEnded?: ((record: ExecutionRecord) => void) | undefined
  /** Asked at every progress: a reason to stop kickoffs, or null. */
  abortReason: () => string | null
}

/** Resolves after the engine's `finished` line. */
export async function drive(
  plan: Plan,
  host: Host,
  options: DriveOptions,
): Promise<FinishedLine['stopped']> {
  return new Promise((resolve) => {
    const engine = createEngine(plan, host, {
      runId: options.runId,
      instance: 0,
      instances: 1,
      ...(options.onEnded === undefined ? {} : { onEnded: options.onEnded }),
      onDone: (stopped) => {
        clearInterval(timer)
        options.signal?.removeEventListener('abort', drain)
        resolve(stopped)
      },
    })
    const stops = new Stops(engine, host)
    const progress = (): LiveProgress => {
      const now = host.now()
      const { drainingSinceMicros } = stops
      const readings = options.meters.read(now)
      const { target, profile } = options
      return liveProgress(plan, now, engine.stats(), readings, {
        target,
        profile,
        drainingSinceMicros,
      })
    }
    const drain = (): void => stops.stop('drain')
    const timer = setInterval(() => {
      const reason = options.abortReason()
      if (reason !== null && engine.stats().stopping === null) stops.stop('drain', reason)
      options.onProgress?.(progress())
    }, PROGRESS_EVERY_MS)
    options.signal?.addEventListener('abort', drain)
    void options.died?.then((reason) => stops.stop('now', reason))
    options.onStart?.({ stop: (how) => stops.stop(how, 'interrupted') })
    options.begin()
    engine.start()
    if (options.signal?.aborted === true) drain()
  })
}

/** Remembers when the drain began, so that what is left of it can be shown. */
class Stops {
  drainingSinceMicros: Micros | null = null
  readonly #engine: Engine
  readonly #host: Host

  constructor(engine: Engine, host: Host) {
    this.#engine = engine
    this.#host = host
  }

  stop(how: 'drain' | 'now', reason?: string): void {
    this.drainingSinceMicros ??= this.#host.now()
    this.#engine.stop(how, reason)
  }
}
