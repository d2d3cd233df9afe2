/** How the loads of a mix begin and end together. */
import type { Plan } from '../../scenario/plan.ts'
import type { Body } from './body.ts'
import type { RunControl, RunOptions } from '../options.ts'

/** A part of a mix, with everything that refuses it before something is sent. */
export interface PreparedPart {
  name: string
  plan: Plan
  /** Those of the mix, with the target and the token of the part. */
  options: RunOptions
  /** Whether its token is its own, which a fake crew of the run must know too. */
  hasOwnToken: boolean
}

/** The bodies of the parts, in their order. */
export interface OpenedMix {
  bodies: readonly Body[]
  /** Of each part, which crew it loads: those of one crew have the same number, from 0. */
  crews: readonly number[]
  close(): Promise<void>
}

interface WaitingPart {
  resolve: () => void
  reject: (error: unknown) => void
}

export class Together {
  readonly #parts: number
  /** Of the loads that have begun. */
  readonly controls: RunControl[] = []
  #waiting: WaitingPart[] = []
  #failure: { error: unknown } | null = null

  constructor(parts: number) {
    this.#parts = parts
  }

  /**
   * Resolves for all parts in the same turn of the event loop, when each of them has come here:
   * before the first kickoff, and after the last line. Rejects when one of them has failed.
   */
  async meet(): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      if (this.#waiting.length < this.#parts) return
      const all = this.#waiting
      this.#waiting = []
      for (const each of all) each.resolve()
    })
  }

  /** One of the parts will never come. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    for (const control of this.controls) control.stop('now', 'another part of the mix failed')
    for (const { reject } of this.#waiting) reject(this.#failure.error)
    this.#waiting = []
  }
}
