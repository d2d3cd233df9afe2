/** A crew on the wall clock: the model, the time since its zero, and its replacement by another. */
import type { Socket } from 'node:net'
import type { FaultSpells, LedgerClock, LedgerRow } from '../../src/crew/ledger.ts'
import type { Micros } from '../../src/units.ts'
import { MICROS_PER_MS } from '../../src/units.ts'
import type { Crew } from '../model/crew.ts'
import { createCrew } from '../model/crew.ts'
import type { Fault } from '../model/faults/fault.ts'
import type { FaultReport } from '../model/faults/faults.ts'
import type { Line } from '../model/faults/line.ts'
import type { Tokens } from '../model/gates.ts'
import type { Profile } from '../model/profile.ts'

export class LiveCrew {
  readonly #tokens: Tokens
  readonly #zeroMs = performance.now()
  readonly #anchorUnixMs = performance.timeOrigin + performance.now()
  /** Connections that have been used for the control. */
  readonly controls = new WeakSet<Socket>()
  #crew: Crew
  #lineChanged: () => void = () => {}

  constructor(profile: Profile, tokens: Tokens) {
    this.#tokens = tokens
    this.#crew = this.#create(profile)
  }

  get model(): Crew {
    return this.#crew
  }

  get profile(): Profile {
    return this.#crew.profile
  }

  /** Whole microseconds since the zero, on a clock that never steps. */
  nowMicros(): Micros {
    return Math.round((performance.now() - this.#zeroMs) * MICROS_PER_MS)
  }

  clock(): LedgerClock {
    return {
      now_ms: this.nowMicros() / MICROS_PER_MS,
      anchor_unix_ms: this.#anchorUnixMs,
      speed: this.profile.speed,
    }
  }

  ledger(): Generator<LedgerRow> {
    return this.#crew.ledger(this.nowMicros())
  }

  /** Starts anew, with another profile if one is given: executions and counts are gone, the clock goes on. */
  reset(profile = this.profile): void {
    this.#crew = this.#create(profile)
    this.#lineChanged()
  }

  /** Their times count from now. */
  addFaults(faults: readonly Fault[]): FaultReport[] {
    const added = this.#crew.faults.add(faults, this.nowMicros())
    this.#lineChanged()
    return added
  }

  /** One by its name, or all; how many they were. */
  clearFaults(name?: string): number {
    const cleared = this.#crew.faults.clear(this.nowMicros(), name)
    this.#lineChanged()
    return cleared
  }

  faultSpells(): FaultSpells[] {
    return this.#crew.faults.spells(this.nowMicros())
  }

  line(): Line {
    return this.#crew.faults.line(this.nowMicros())
  }

  /** `changed` is called when the line may be another than the last that was told. */
  watchLine(changed: () => void): void {
    this.#lineChanged = changed
  }

  #create(profile: Profile): Crew {
    return createCrew(profile, {
      tokens: this.#tokens,
      anchorUnixMs: this.#anchorUnixMs,
      startMicros: this.nowMicros(),
    })
  }
}
