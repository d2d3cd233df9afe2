/**
 * A process of crewload in a virtual world: it counts what it sends, and can be killed at any
 * moment, with its connections cut and its timers gone.
 */
import type { Answer } from '../../src/crew/answer.ts'
import type { CrewRequest } from '../../src/crew/crew-request.ts'
import type { Cancel, Host, SendLimits } from '../../src/engine/host.ts'
import type { HostVitals, JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { SendingBudget } from '../../src/engine/sending-budget.ts'
import type { VirtualHost } from '../../src/host/virtual/index.ts'
import type { Micros } from '../../src/base/units.ts'

export class Mortal implements Host {
  kickoffs = 0
  requests = 0
  /** Its last line is written. */
  hasEnded = false
  readonly #world: VirtualHost
  readonly budget: SendingBudget
  readonly #journal: JournalLine[]
  readonly #outstanding = new Set<Cancel>()
  #alive = true

  /** `journal` outlives it. */
  constructor(world: VirtualHost, budget: SendingBudget, journal: JournalLine[]) {
    this.#world = world
    this.budget = budget
    this.#journal = journal
  }

  /** Until it ends by itself, or so many things have happened in the world. */
  live(events: number): void {
    this.#world.advance(events)
  }

  unixMs(): number {
    return this.#world.unixMs()
  }

  kill(): void {
    this.#alive = false
    this.#world.wakeAt(Infinity, () => {})
    for (const cancel of this.#outstanding) cancel()
  }

  now(): Micros {
    return this.#world.now()
  }

  wakeAt(due: Micros, wake: () => void): void {
    this.#world.wakeAt(due, () => {
      if (this.#alive) wake()
    })
  }

  send(request: CrewRequest, limits: SendLimits, done: (answer: Answer) => void): Cancel {
    this.requests++
    if (request.operation === 'kickoff') this.kickoffs++
    const cancel = this.#world.send(request, limits, (answer) => {
      this.#outstanding.delete(cancel)
      if (this.#alive) done(answer)
    })
    this.#outstanding.add(cancel)
    return cancel
  }

  emit(line: JournalLine): void {
    this.#journal.push(line)
    this.#world.emit(line)
    this.hasEnded = line.type === 'finished'
  }

  vitals(): HostVitals {
    return this.#world.vitals()
  }
}
