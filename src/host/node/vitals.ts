/**
 * The host's health, sampled once a second: event-loop use, memory, and whether someone set the
 * clock.
 */
import type { EventLoopUtilization } from 'node:perf_hooks'
import type { RunClock } from './clock.ts'

const SAMPLE_MS = 1_000
/**
 * A jump of the wall clock against the monotonic one that counts as a step: slewing by NTP is far
 * slower.
 */
const CLOCK_STEP_MS = 50
const SUSTAINED_SAMPLES = 5

/**
 * Event-loop utilisation, 0 to 1: the highest value held for five samples in a row. Keeps five
 * numbers, however long the run.
 */
export class UtilisationMeter {
  readonly #latest: number[] = []
  #held: number | null = null

  add(sample: number): void {
    this.#latest.push(sample)
    if (this.#latest.length > SUSTAINED_SAMPLES) this.#latest.shift()
    if (this.#latest.length === SUSTAINED_SAMPLES) {
      this.#held = Math.max(this.#held ?? 0, Math.min(...this.#latest))
    }
  }

  /** Null until five samples exist: a second of full use at start-up is not sustained. */
  get sustained(): number | null {
    return this.#held
  }
}

export class VitalsSampler {
  readonly #clock: RunClock
  readonly #onClockStep: (stepMs: number) => void
  #meter = new UtilisationMeter()
  #start: EventLoopUtilization
  #last: EventLoopUtilization
  #wallOffsetMs = 0
  #peakMemoryBytes = 0
  #clockSteps = 0
  #timer: NodeJS.Timeout | undefined

  constructor(clock: RunClock, onClockStep: (stepMs: number) => void) {
    this.#clock = clock
    this.#onClockStep = onClockStep
    this.#start = performance.eventLoopUtilization()
    this.#last = this.#start
  }

  /** Begins, or begins again without the earlier samples. */
  start(): void {
    this.stop()
    this.#meter = new UtilisationMeter()
    this.#start = performance.eventLoopUtilization()
    this.#last = this.#start
    this.#wallOffsetMs = this.#clock.wallOffsetMs()
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  read(): {
    utilisationSustained: number | null
    utilisationMean: number
    peakMemoryBytes: number
    clockSteps: number
  } {
    this.#checkMemory()
    return {
      utilisationSustained: this.#meter.sustained,
      utilisationMean: performance.eventLoopUtilization(this.#start).utilization,
      peakMemoryBytes: this.#peakMemoryBytes,
      clockSteps: this.#clockSteps,
    }
  }

  #sample(): void {
    const now = performance.eventLoopUtilization()
    this.#meter.add(performance.eventLoopUtilization(now, this.#last).utilization)
    this.#last = now
    this.#checkMemory()
    this.#checkClock()
  }

  /** On Linux it comes from a file, which cannot be opened if the process may open no more. */
  #checkMemory(): void {
    try {
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, process.memoryUsage.rss())
    } catch {
      // Reports the highest of the available samples.
    }
  }

  #checkClock(): void {
    const offsetMs = this.#clock.wallOffsetMs()
    const stepMs = offsetMs - this.#wallOffsetMs
    this.#wallOffsetMs = offsetMs
    if (Math.abs(stepMs) <= CLOCK_STEP_MS) return
    this.#clockSteps++
    this.#onClockStep(stepMs)
  }
}
