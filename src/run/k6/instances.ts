/**
 * Combines several instances of one run into one, from their lines: progress, and what was given
 * up.
 */
import { unreachable } from '../../base/assert.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { isUnsent } from '../../execution/machine.ts'
import type { ExecutionRecord, Outcome } from '../../execution/record/record.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { describe } from '../../scenario/arrivals/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import type { Abandoned } from '../body.ts'
import type { LiveStats } from '../progress.ts'

/**
 * Takes the lines of each instance in order, and those of several in any order. Stores what is in
 * flight, not the whole run.
 */
export class InstancesAsOne {
  readonly #lastArrivalMicros: Micros
  readonly #outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  /** Kickoff ids of the executions that were accepted and have not ended, by index. */
  readonly #inFlight = new Map<number, string>()
  readonly #aborted: Abandoned[] = []
  #started = 0
  /** The number of started executions that have ended. */
  #startedEnded = 0

  constructor({ arrivals }: Pick<Plan, 'arrivals'>) {
    this.#lastArrivalMicros = describe(arrivals).durationMicros
  }

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'started':
        this.#started++
        break
      case 'accepted':
        this.#inFlight.set(line.index, line.kickoffId)
        break
      case 'ended':
        this.#ended(line.record)
        break
      case 'finished':
      case 'run':
      case 'resumed':
      case 'finding':
        break
      default:
        unreachable(line)
    }
  }

  /** The number of kickoffs whose execution has not ended. */
  get underWay(): number {
    return this.#started - this.#startedEnded
  }

  stats(): LiveStats {
    return {
      started: this.#started,
      inFlight: this.#inFlight.size,
      // No line says how many arrivals wait for a place.
      queued: 0,
      outcomes: { ...this.#outcomes },
      lastArrivalMicros: this.#lastArrivalMicros,
    }
  }

  /**
   * Accepted executions whose end nobody awaits, because they were aborted or their instance is
   * gone, by index.
   */
  abandoned(): Abandoned[] {
    const left = [...this.#inFlight].map(([index, kickoffId]) => ({ index, kickoffId }))
    return [...this.#aborted, ...left].sort((a, b) => a.index - b.index)
  }

  #ended({ index, outcome, kickoffId }: ExecutionRecord): void {
    this.#outcomes[outcome]++
    if (!isUnsent(outcome)) this.#startedEnded++
    this.#inFlight.delete(index)
    if (outcome === 'aborted' && kickoffId !== null) this.#aborted.push({ index, kickoffId })
  }
}
