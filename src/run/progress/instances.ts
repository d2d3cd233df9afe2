/**
 * Several instances of one run told as one, from their lines as they come: how it goes, and what
 * was given up.
 */
import { unreachable } from '../../base/assert.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { isUnsent } from '../../execution/machine.ts'
import type { ExecutionRecord, Outcome } from '../../execution/record/record.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { describe } from '../../scenario/arrivals/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import type { Abandoned } from '../bodies/body.ts'
import type { LiveStats } from './live.ts'

/**
 * Takes an instance's lines in their order, and those of several in any. Holds what is in flight,
 * not the run.
 */
export class InstancesAsOne {
  readonly #lastArrivalMicros: Micros
  readonly #outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  /** Kickoff ids of those accepted and not ended, by index. */
  readonly #inFlight = new Map<number, string>()
  readonly #aborted: Abandoned[] = []
  /** By instance. */
  readonly #queued = new Map<number, number>()
  #started = 0
  /** Of them, those that have ended. */
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

  /**
   * No line tells how many arrivals wait for a place at an instance: where that is known, it is
   * said here.
   */
  waiting(instance: number, queued: number): void {
    this.#queued.set(instance, queued)
  }

  /** Kickoffs whose execution has not ended. */
  get underWay(): number {
    return this.#started - this.#startedEnded
  }

  stats(): LiveStats {
    return {
      started: this.#started,
      inFlight: this.#inFlight.size,
      queued: [...this.#queued.values()].reduce((sum, queued) => sum + queued, 0),
      outcomes: { ...this.#outcomes },
      lastArrivalMicros: this.#lastArrivalMicros,
    }
  }

  /**
   * Accepted executions whose end nobody awaits: aborted, or of an instance that is gone. By index.
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
