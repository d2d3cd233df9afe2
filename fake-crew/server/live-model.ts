/**
 * A model on the wall clock: the time since its zero, its faults, and its replacement by another.
 */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FaultSpells } from '../../src/crew/ledger.ts'
import type { LedgerClock } from '../../src/crew/fake/clock.ts'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { Fault } from '../model/faults/fault.ts'
import type { FaultReport } from '../model/faults/faults.ts'
import type { ConnectionState } from '../model/faults/connection-state.ts'
import type { ServedModel } from '../model/served-model.ts'
import type { Profile } from '../model/profile.ts'
import type { ProfileOverrides, ReadProfile } from '../profiles.ts'
import { readProfile } from '../profiles.ts'

export interface LiveOptions {
  idSeed?: number | undefined
  /** Options given at the start: they take precedence over a later profile. */
  overrides?: ProfileOverrides
}

/** Drawn seeds are below this, so that adding one per model stays exact. */
const ID_SEEDS = 2 ** 47

/** When a model starts, on its own clock and on the wall clock. */
export interface ModelStart {
  /** Wall clock at the model's time zero, Unix milliseconds. */
  anchorUnixMs: number
  startMicros: Micros
  /** Different each time. */
  idSeed: number
}

export class LiveModel<Model extends ServedModel = ServedModel> {
  readonly #create: (profile: Profile, start: ModelStart) => Model
  readonly #zeroMs = performance.now()
  readonly #anchorUnixMs = performance.timeOrigin + performance.now()
  /** Connections whose last request was to the control. */
  readonly controls = new WeakSet<Socket>()
  /**
   * The connections that a restart would have cut and that remain: only the control may still use
   * them.
   */
  readonly spared = new WeakSet<Socket>()
  readonly #overrides: ProfileOverrides
  #read: ReadProfile
  #idSeed: number
  #model: Model
  #lineChanged: () => void = () => {}

  /**
   * `create` may throw UserError: the profile contains something that this kind of model cannot do.
   * `idSeed` is that of the first model, and each later one adds one; by default it is drawn,
   * because an old client that still polls must not be given another execution.
   */
  constructor(
    read: ReadProfile,
    create: (profile: Profile, start: ModelStart) => Model,
    { idSeed = randomInt(ID_SEEDS), overrides = {} }: LiveOptions = {},
  ) {
    this.#read = read
    this.#overrides = overrides
    this.#create = create
    this.#idSeed = idSeed
    this.#model = this.#started(read.profile)
  }

  get model(): Model {
    return this.#model
  }

  get profile(): Profile {
    return this.#model.profile
  }

  /** The profile as its author would write it, with the options given at the start. */
  get written(): ReadProfile['written'] {
    return this.#read.written
  }

  /** Whole microseconds since the zero, on a monotonic clock. */
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

  /** Restarts: executions and counts are gone, the clock continues. */
  reset(): void {
    this.#model = this.#started(this.profile)
    this.#lineChanged()
  }

  /**
   * Restarts with another profile, a text in YAML. Throws UserError if it has mistakes or is not
   * possible here; then nothing changes.
   */
  replaceProfile(text: string): void {
    const read = readProfile(text, 'profile', this.#overrides)
    this.#model = this.#started(read.profile)
    this.#read = read
    this.#lineChanged()
  }

  /**
   * Their times count from now. Throws UserError if some of them are not possible here; then none
   * is added.
   */
  addFaults(faults: readonly Fault[]): FaultReport[] {
    this.#model.check(faults)
    const added = this.#model.faults.add(faults, this.nowMicros())
    this.#lineChanged()
    return added
  }

  /** Clears one fault by name, or all; returns how many. */
  clearFaults(name?: string): number {
    const cleared = this.#model.faults.clear(this.nowMicros(), name)
    this.#lineChanged()
    return cleared
  }

  faultSpells(): FaultSpells[] {
    return this.#model.faults.spells(this.nowMicros())
  }

  connectionState(): ConnectionState {
    return this.#model.faults.connectionState(this.nowMicros())
  }

  /**
   * `changed` is called when the state of new connections may have changed since it was last read.
   */
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
