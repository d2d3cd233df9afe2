/**
 * A model on the wall clock: the time since its zero, its faults, and its replacement by another.
 */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FaultSpells, LedgerClock } from '../../src/crew/ledger.ts'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { Fault } from '../model/faults/fault.ts'
import type { FaultReport } from '../model/faults/faults.ts'
import type { Line } from '../model/faults/line.ts'
import type { Front } from '../model/front.ts'
import type { Profile } from '../model/profile.ts'

export interface LiveOptions {
  idSeed?: number | undefined
  overridden?: (profile: Profile) => Profile
}

function same(profile: Profile): Profile {
  return profile
}

/** What can be drawn at once. */
const ID_SEEDS = 2 ** 47

/** When a model starts, on its own clock and on the wall clock. */
export interface Start {
  /** Wall clock at the model's zero, Unix milliseconds. */
  anchorUnixMs: number
  startMicros: Micros
  /** Another one each time. */
  idSeed: number
}

export class Live<Model extends Front = Front> {
  readonly #create: (profile: Profile, start: Start) => Model
  readonly #zeroMs = performance.now()
  readonly #anchorUnixMs = performance.timeOrigin + performance.now()
  /** Connections whose last request was one to the control. */
  readonly controls = new WeakSet<Socket>()
  /** Those of them that a restart would have cut: to all but the control they are. */
  readonly spared = new WeakSet<Socket>()
  readonly #overridden: (profile: Profile) => Profile
  #idSeed: number
  #model: Model
  #lineChanged: () => void = () => {}

  /**
   * `create` may throw UserError: the profile asks for what such a model cannot do. `idSeed`: of
   * the first model, each further one has the next; drawn by default, for an old client that still
   * polls must not be told of somebody else's execution. `overridden`: what was asked for at the
   * start goes before what a later profile says.
   */
  constructor(
    profile: Profile,
    create: (profile: Profile, start: Start) => Model,
    { idSeed = randomInt(ID_SEEDS), overridden = same }: LiveOptions = {},
  ) {
    this.#overridden = overridden
    this.#create = create
    this.#idSeed = idSeed
    this.#model = this.#started(profile)
  }

  get model(): Model {
    return this.#model
  }

  get profile(): Profile {
    return this.#model.profile
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

  /**
   * Starts anew, with another profile if one is given: executions and counts are gone, the clock
   * goes on. Throws UserError: the profile cannot be here; then nothing changes.
   */
  reset(profile = this.profile): void {
    this.#model = this.#started(this.#overridden(profile))
    this.#lineChanged()
  }

  /**
   * Their times count from now. Throws UserError: some of them cannot be here; then none is added.
   */
  addFaults(faults: readonly Fault[]): FaultReport[] {
    this.#model.check(faults)
    const added = this.#model.faults.add(faults, this.nowMicros())
    this.#lineChanged()
    return added
  }

  /** One by its name, or all; how many they were. */
  clearFaults(name?: string): number {
    const cleared = this.#model.faults.clear(this.nowMicros(), name)
    this.#lineChanged()
    return cleared
  }

  faultSpells(): FaultSpells[] {
    return this.#model.faults.spells(this.nowMicros())
  }

  line(): Line {
    return this.#model.faults.line(this.nowMicros())
  }

  /** `changed` is called when the line may be another than the last that was told. */
  watchLine(changed: () => void): void {
    this.#lineChanged = changed
  }

  #started(profile: Profile): Model {
    const anchorUnixMs = this.#anchorUnixMs
    const start = { anchorUnixMs, startMicros: this.nowMicros(), idSeed: this.#idSeed }
    const model = this.#create(profile, start)
    this.#idSeed++
    return model
  }
}
