/**
 * Ends a run in order when something in this process threw where nobody takes it: drained if it can
 * be, then at once, then as it stands.
 */
import { GENERATOR_FAILED } from '../analysis/validity/validity.ts'
import type { FindingLine } from '../execution/record/journal-lines.ts'
import type { Plan } from '../scenario/plan.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { Micros } from '../base/units.ts'

export interface EmergencyOptions {
  now: () => Micros
  stop: (how: 'drain' | 'now', reason: string) => void
  tell: (line: FindingLine) => void
}

/** After each stop, beside the longest time that a request may take. */
const GRACE_MS = 5_000

export class Emergency {
  /** Resolves when no stop has ended the run: what threw may have taken its engine with it. */
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

  /** Never throws. What throws again and again is told once. */
  fail(error: unknown): void {
    if (this.#begun) return
    this.#begun = true
    const message = `${GENERATOR_FAILED}: ${error instanceof Error ? error.message : String(error)}`
    const { now, tell } = this.#options
    attempt(() => {
      const place = { instance: 0, atMicros: now(), index: null }
      tell({ type: 'finding', ...place, finding: { kind: 'note', message } })
    })
    this.#stop('drain', this.#drainMs, () => this.#stop('now', 0, this.#giveUp))
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #stop(how: 'drain' | 'now', waitMs: number, otherwise: () => void): void {
    attempt(() => this.#options.stop(how, GENERATOR_FAILED))
    this.#timer = setTimeout(otherwise, waitMs + this.#graceMs)
  }
}

/** What has thrown before may throw again. */
function attempt(act: () => void): void {
  try {
    act()
  } catch {
    // The run ends all the same, when the time for this is up.
  }
}
