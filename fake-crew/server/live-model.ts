/** A model on a clock: its faults, its time, and its replacement by another. */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FaultSpells, LedgerRequest } from '../../src/crew/ledger.ts'
import type { LedgerClock } from '../../src/crew/fake/clock.ts'
import type { Micros } from '../../src/base/units.ts'
import { DURATION_HELP, MICROS_PER_MS, parseDuration } from '../../src/base/units.ts'
import { UserError, demandNone } from '../../src/base/mistakes.ts'
import { unknownOptions } from '../../src/base/options/table.ts'
import type { Fault } from '../model/faults/fault.ts'
import type { FaultReport } from '../model/faults/faults.ts'
import type { ConnectionState } from '../model/faults/connections.ts'
import type { Front } from '../model/front.ts'
import type { Profile } from '../model/profile.ts'
import { definitionOf } from '../model/faults/kinds/list.ts'
import type { AddedScript, ScriptSet } from '../model/script-set.ts'
import type { WrittenScript } from '../model/scripts.ts'
import type { ProfileOverrides, ReadProfile } from '../profiles.ts'
import { checkScripts, parseScripts, readProfile } from '../profiles.ts'
import type { RequestFilter } from '../model/records/journal.ts'
import { REQUEST_FILTERS, RequestJournal } from '../model/records/journal.ts'
import type { ServerClock } from './clock.ts'
import { ManualClock, RealClock } from './clock.ts'

const REAL_CLOCK = 'the clock is real: start the crew with clock: manual'

function wrongAdvance(duration: unknown, problem: string): UserError {
  return new UserError({ source: 'advance', found: JSON.stringify(duration), problem })
}

/** Nobody knows which test a connection belongs to. */
function checkReach(faults: readonly Fault[]): void {
  const mistakes = faults
    .filter(({ what }) => definitionOf(what).reach === 'connections')
    .map(({ name, what: { kind } }) => {
      const problem = `${kind} strikes connections, which all tests share`
      return { source: 'faults', path: name, problem }
    })
  demandNone(mistakes)
}

export interface LiveOptions {
  /** Default: the real one. */
  clock?: ServerClock
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
  journal: RequestJournal
}

export class LiveModel<Model extends Front = Front> {
  readonly #create: (profile: Profile, start: ModelStart) => Model
  readonly clock: ServerClock
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
  #lineSettled: () => Promise<void> = async () => {}
  #pushesSettling: () => () => Promise<void> = () => async () => {}

  /**
   * `create` may throw UserError: the profile contains something that this kind of model cannot do.
   * `idSeed` is that of the first model, and each later one adds one; by default it is drawn,
   * because an old client that still polls must not be given another execution.
   */
  constructor(
    read: ReadProfile,
    create: (profile: Profile, start: ModelStart) => Model,
    { clock = new RealClock(), idSeed = randomInt(ID_SEEDS), overrides = {} }: LiveOptions = {},
  ) {
    this.clock = clock
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

  nowMicros(): Micros {
    return this.clock.nowMicros()
  }

  ledgerClock(): LedgerClock {
    return {
      now_ms: this.nowMicros() / MICROS_PER_MS,
      anchor_unix_ms: this.clock.anchorUnixMs,
      speed: this.profile.speed,
      ...(this.clock instanceof ManualClock ? { manual: true as const } : {}),
    }
  }

  /**
   * Moves a manual clock step by step, so that each push is answered at its own time, and resolves
   * once the server takes connections again, or none. Calls that overlap add up. Throws UserError
   * for a real clock, and for what is no duration.
   */
  async advance(duration: unknown): Promise<void> {
    const micros = parseDuration(String(duration))
    if (!(this.clock instanceof ManualClock)) throw wrongAdvance(duration, REAL_CLOCK)
    if (micros === undefined) throw wrongAdvance(duration, `expected ${DURATION_HELP}`)
    const pushesSettled = this.#pushesSettling()
    await pushesSettled()
    for (let left: Micros | null = micros; left !== null;) {
      left = this.clock.step(left)
      await pushesSettled()
    }
    await this.#lineSettled()
  }

  /** The requests that match, in order of answers. Throws UserError for an unknown name. */
  requests(filter: RequestFilter = {}): LedgerRequest[] {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined)
    const mistakes = unknownOptions(filter, { names: REQUEST_FILTERS, source: 'requests' })
    if (mistakes.length > 0) throw new UserError(mistakes)
    const rows = this.#model.journal?.rows() ?? []
    return rows.filter((row) =>
      wanted.every(([name, value]) => String(row[name as keyof RequestFilter]) === String(value)),
    )
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
   * is added. `test`: they strike only requests of this test.
   */
  addFaults(faults: readonly Fault[], test: string | null = null): FaultReport[] {
    this.#model.check(faults)
    if (test !== null) checkReach(faults)
    const added = this.#model.faults.add(faults, this.nowMicros(), test)
    this.#lineChanged()
    return added
  }

  /** Clears one fault, or all, of this test alone if one is given; returns how many. */
  clearFaults(which?: string | Fault, test: string | null = null): number {
    const cleared = this.#model.faults.clear(this.nowMicros(), which, test)
    this.#lineChanged()
    return cleared
  }

  /** Throws UserError for a proxy: it has no executions. */
  get scripts(): ScriptSet {
    const { scripts } = this.#model
    if (scripts !== null) return scripts
    const problem = 'not available in proxy mode: only a fake crew has executions'
    throw new UserError({ source: 'scripts', problem })
  }

  /** Adds scripts, in YAML or as a program writes them. Throws UserError with every mistake. */
  addScripts(
    written: string | WrittenScript | readonly WrittenScript[],
    test: string | null = null,
  ): AddedScript[] {
    const { scripts } = this
    const ids = this.profile.tasks.map(({ id }) => id)
    const parsed =
      typeof written === 'string'
        ? parseScripts(written, 'scripts', ids)
        : checkScripts(written, ids)
    return scripts.add(parsed, test)
  }

  /** Ends the faults and scripts of a test, and forgets its requests and executions. */
  forgetTest(test: string): void {
    this.#model.forgetTest(test, this.nowMicros())
    this.#lineChanged()
  }

  faultSpells(): FaultSpells[] {
    return this.#model.faults.spells(this.nowMicros())
  }

  connectionState(): ConnectionState {
    return this.#model.faults.connectionState(this.nowMicros())
  }

  /**
   * `changed` is called when the state of new connections may have changed since it was last read;
   * `settled` resolves when the server is in that state.
   */
  watchLine(changed: () => void, settled: () => Promise<void>): void {
    this.#lineChanged = changed
    this.#lineSettled = settled
  }

  /** What `settling` returns resolves when time may move on: receivers had time to answer. */
  watchPushes(settling: () => () => Promise<void>): void {
    this.#pushesSettling = settling
  }

  #started(profile: Profile): Model {
    const model = this.#create(profile, {
      anchorUnixMs: this.clock.anchorUnixMs,
      startMicros: this.nowMicros(),
      idSeed: this.#idSeed,
      journal: new RequestJournal(),
    })
    this.#idSeed++
    return model
  }
}
