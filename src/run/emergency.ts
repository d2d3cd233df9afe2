/**
 * Ends a run in order when something in this process threw an uncaught exception: first by a drain,
 * then by an immediate stop, then with what is there.
 */
import type { StopReason } from '../execution/record/stop-reason.ts'
import type { FindingLine } from '../execution/record/journal-lines.ts'
import type { Plan } from '../scenario/plan.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { Micros } from '../base/units.ts'

export interface EmergencyOptions {
  now: () => Micros
  stop: (how: 'drain' | 'now', reason: StopReason) => void
  tell: (line: FindingLine) => void
}

/** Waited after each stop, in addition to the longest time that a request may take. */
const GRACE_MS = 5_000

export class Emergency {
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
    const message = error instanceof Error ? error.message : String(error)
    const note = { code: 'generator-failed', error: message } as const
    const { now, tell } = this.#options
    attempt(() => {
      const place = { instance: 0, atMicros: now(), index: null }
      tell({ type: 'finding', ...place, finding: { kind: 'note', note } })
    })
    this.#stop('drain', this.#drainMs, () => this.#stop('now', 0, this.#giveUp))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #stop(how: 'drain' | 'now', waitMs: number, otherwise: () => void): void {
    attempt(() => this.#options.stop(how, { code: 'asked', why: 'crewload itself failed' }))
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
