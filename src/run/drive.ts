/** Drives one engine over its host to the end, and shows how it goes on the way. */
import { createEngine } from '../engine/engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { FinishedLine } from '../execution/journal.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import type { Host } from '../engine/host.ts'
import type { LivePhase, LiveProgress } from '../report/index.ts'
import type { Plan } from '../scenario/plan.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../units.ts'
import type { Micros } from '../units.ts'
import { endsByCount } from './facts.ts'
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
    const drain = (): void => stops.stop('drain')
    const timer = setInterval(() => {
      const reason = options.abortReason()
      if (reason !== null && engine.stats().stopping === null) stops.stop('drain', reason)
      options.onProgress?.(progressOf(plan, host, engine, stops, options))
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

function progressOf(
  plan: Plan,
  host: Host,
  engine: Engine,
  stops: Stops,
  options: DriveOptions,
): LiveProgress {
  const now = host.now()
  const stats = engine.stats()
  const { kickoff, status, lateness } = options.meters.read(now)
  return {
    scenario: plan.name,
    target: options.target,
    profile: options.profile,
    seed: plan.seed,
    speed: plan.speed,
    load: loadWords(plan, now, stats.lastArrivalMicros),
    phase: phaseOf(plan, now, stats.lastArrivalMicros, stops.drainingSinceMicros),
    elapsedMs: Math.max(0, now) / MICROS_PER_MS,
    totalMs: endsByCount(plan) ? null : stats.lastArrivalMicros / MICROS_PER_MS,
    started: stats.started,
    inFlight: stats.inFlight,
    queued: stats.queued,
    outcomes: stats.outcomes,
    kickoff,
    status,
    lateness: { ...lateness, boundMs: plan.validity.latenessP99Micros / MICROS_PER_MS },
    warnings: warningsOf(plan, lateness.p99Ms),
  }
}

function phaseOf(
  plan: Plan,
  now: Micros,
  lastArrival: Micros,
  drainingSince: Micros | null,
): LivePhase {
  if (drainingSince !== null) {
    const leftMicros = Math.max(0, drainingSince + plan.drainMicros - now)
    return { kind: 'draining', leftMs: leftMicros / MICROS_PER_MS }
  }
  if (now < plan.warmUpMicros) return { kind: 'warm-up' }
  return now > lastArrival ? { kind: 'finishing' } : { kind: 'running' }
}

/** The rate of arrivals at this moment, as people say it; null when nothing arrives any more. */
function loadWords(plan: Plan, now: Micros, lastArrival: Micros): string | null {
  const { arrivals } = plan
  if (now > lastArrival) return null
  if (arrivals.kind === 'closed') return `${arrivals.clients} clients`
  if (arrivals.kind === 'replay') return 'replay'
  let begin = 0
  for (const { from, to, forMicros } of arrivals.segments) {
    if (now < begin + forMicros) {
      const share = (now - begin) / forMicros
      const low = from.count / from.perMicros
      const high = to.count / to.perMicros
      return rateWords((low + (high - low) * share) * MICROS_PER_SECOND)
    }
    begin += forMicros
  }
  return null
}

function rateWords(perSecond: number): string {
  if (perSecond >= 1) return `${Number(perSecond.toPrecision(3))}/s`
  if (perSecond * 60 >= 1) return `${Number((perSecond * 60).toPrecision(3))}/min`
  return `${Number((perSecond * 3_600).toPrecision(3))}/h`
}

function warningsOf(plan: Plan, latenessP99Ms: number | null): LiveProgress['warnings'] {
  const boundMs = plan.validity.latenessP99Micros / MICROS_PER_MS
  if (latenessP99Ms === null || latenessP99Ms <= boundMs) return []
  const measured = `${Number(latenessP99Ms.toPrecision(3))} ms (bound ${boundMs})`
  const remedy = 'lower the rate, or free this machine'
  return [{ message: `generator late: p99 ${measured}`, remedy }]
}
