/** The host of one iteration: that of its VU, with a budget of its own, and an eye on what its engine tells at the end. */
import type { Answer, CrewRequest } from '../../crew/answer.ts'
import type { Cancel, Host, SendLimits } from '../../engine/host.ts'
import type { BudgetKind } from '../../engine/spending.ts'
import type { FinishedLine, HostVitals, JournalLine } from '../../execution/journal.ts'
import type { Micros } from '../../base/units.ts'
import type { Budget } from '../budget.ts'

export interface IterationHostOptions {
  /** Of the VU. */
  host: Host
  budget: Budget
  /** Notes that the VU has told: each comes once, not once an iteration. */
  told: Set<string>
}

export class IterationHost implements Host {
  readonly #host: Host
  readonly #budget: Budget
  readonly #told: Set<string>
  readonly #openedBefore: number
  #finished: FinishedLine | null = null
  #isRefused = false

  constructor({ host, budget, told }: IterationHostOptions) {
    this.#host = host
    this.#budget = budget
    this.#told = told
    this.#openedBefore = host.vitals().connectionsOpened ?? 0
  }

  /** What its engine said at the end; it is no line, since the run goes on. */
  get finished(): FinishedLine | null {
    return this.#finished
  }

  get connectionsOpened(): number {
    return (this.#host.vitals().connectionsOpened ?? 0) - this.#openedBefore
  }

  /** The budget was spent before everything was sent. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  now(): Micros {
    return this.#host.now()
  }

  wakeAt(due: Micros, wake: () => void): void {
    this.#host.wakeAt(due, wake)
  }

  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel {
    return this.#host.send(request, limits, done)
  }

  emit(line: JournalLine): void {
    if (line.type === 'finished') this.#finished = line
    else if (line.type !== 'finding' || line.finding.kind !== 'note') this.#host.emit(line)
    else if (!this.#told.has(line.finding.message)) {
      this.#told.add(line.finding.message)
      this.#host.emit(line)
    }
  }

  spend(kind: BudgetKind): boolean {
    const granted = this.#budget.spend(kind)
    this.#isRefused ||= !granted
    return granted
  }

  vitals(): HostVitals {
    return this.#host.vitals()
  }
}
