/**
 * The fake crew as a library: `await using crew = await startFakeCrew({ profile: 'fast' })` inside
 * any test.
 */
import { randomBytes } from 'node:crypto'
import { UserError } from '../src/base/mistakes.ts'
import type { LedgerRow, LedgerRequest } from '../src/crew/ledger.ts'
import type { Dialect } from '../src/crew/wire.ts'
import type { Crew } from './model/crew.ts'
import { createCrew } from './model/crew.ts'
import type { WrittenFault } from './model/faults/fault.ts'
import type { WrittenScript } from './model/scripts.ts'
import { withoutLatency } from './model/latency.ts'
import type { WrittenProfile } from './model/profile.ts'
import type { ServerOptions } from './options.ts'
import {
  SERVER_OPTIONS,
  demandKnownNames,
  overridesOf,
  listenPlaceOf,
  readProfileOf,
} from './options.ts'
import type { FakeProxy, FakeProxyOptions } from './proxy.ts'
import { startFakeProxy } from './proxy.ts'
import { ManualClock, RealClock } from './server/clock.ts'
import { crewBackend } from './server/crew-backend.ts'
import type { RequestFilter } from './model/records/journal.ts'
import { LiveModel } from './server/live-model.ts'
import { PushSender } from './server/push-sender.ts'
import { serve } from './server/server.ts'
import type { LedgerClock } from '../src/crew/fake/clock.ts'
import { TEST_HEADER } from './model/records/tests.ts'
import { checkFaults } from './profiles.ts'

export type {
  Added,
  Dialect,
  FakeProxy,
  FakeProxyOptions,
  LedgerRow,
  RequestFilter,
  LedgerRequest,
  TestPart,
  WrittenFault,
  WrittenProfile,
  WrittenScript,
}
export { UserError, startFakeProxy }
export type { AskedCrew, CrewMatchers, Tolerance } from './assertions/index.ts'
export { crewMatchers, expectCrew } from './assertions/index.ts'

export interface FakeCrewOptions extends ServerOptions {
  /** The organization token. Default: 12 random hexadecimal characters, as seen in the field. */
  token?: string
  /** Default: as for the organization token. */
  userToken?: string
  /**
   * Kickoff ids follow from it, the seed and the number of resets. Default: drawn at random, so
   * that ids never repeat across resets and restarts. Everything else follows from the seed alone.
   */
  idSeed?: number
  /**
   * `manual`: time stands still but for `advance`. Answers then have no HTTP latency; what a limit,
   * a fault or a cold start holds back waits for `advance`. Default: `real`.
   */
  clock?: 'manual' | 'real'
  /** Signs pushes to webhooks. Default: they are not signed. */
  webhookSecret?: string
}

const OPTIONS: Record<keyof FakeCrewOptions, true> = {
  ...SERVER_OPTIONS,
  token: true,
  userToken: true,
  idSeed: true,
  clock: true,
  webhookSecret: true,
}

export interface FakeCrew extends TestCrew, AsyncDisposable {
  /**
   * Resolves when this execution has ended, is lost or is known never to end; without an id, when
   * there is an execution and that is true of all. Rejects for an id of no execution, and when the
   * crew stops.
   */
  ended(kickoffId: string): Promise<LedgerRow>
  ended(): Promise<LedgerRow[]>
  /** Clears all faults, those of the profile too. */
  clear(): void
  /**
   * Forgets executions and requests, and has the faults and scripts of the profile again. Time goes
   * on.
   */
  reset(): void
  /**
   * The part of the crew that one test has, beside others in the same crew: what its client sends
   * with `headers` (`x-crewload-test`) meets its scripts and faults, and is in its requests.
   */
  forTest(name: string): TestPart
  /**
   * Moves a manual clock on, by a duration such as `10m`: executions, queue, limits, faults,
   * tokens, retention and the dates in answers move with it. The clock stands still at each push
   * to a webhook until that answers, for at most 2 s. Rejects for a real clock.
   */
  advance(duration: string): Promise<void>
  /** Answers every request in flight immediately and closes; takes well under a second. */
  stop(): Promise<void>
}

/**
 * Starts a fake crew in this process. Throws UserError for an unknown option, an invalid profile,
 * or an address that is unavailable or not allowed.
 */
export async function startFakeCrew(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  demandKnownNames(options, OPTIONS, 'startFakeCrew()')
  const place = listenPlaceOf(options)
  const { token = randomToken(), userToken = randomToken() } = options
  const tokens = { organization: token, user: userToken }
  const clock = clockOf(options)
  let pushes: PushSender | null = null
  const live = new LiveModel<Crew>(
    readProfileOf(options),
    (profile, start) =>
      createCrew(clock instanceof ManualClock ? withoutLatency(profile) : profile, {
        tokens,
        ...start,
        pushesSooner: () => pushes?.followSoon(),
      }),
    { clock, idSeed: options.idSeed, overrides: overridesOf(options) },
  )
  const sender = new PushSender(live, options.webhookSecret ?? null)
  pushes = sender
  live.watchPushes(() => sender.settling())
  const server = await serve({ ...place, backend: crewBackend(live) })
  const ledger = (): LedgerRow[] => [...live.model.ledger(live.nowMicros())]
  const ends = new Ends(ledger, (look) => clock.watch(look))
  const stop = async (): Promise<void> => {
    ends.stop()
    sender.stop()
    await server.stop()
  }
  return {
    url: server.url,
    token,
    userToken,
    ledger,
    requests: (filter) => live.requests(filter),
    clock: () => live.ledgerClock(),
    get requestsDropped() {
      return live.model.journal?.dropped ?? 0
    },
    ended: ((id?: string) => ends.wait(id)) as FakeCrew['ended'],
    fault: (fault) => addFault(live, fault, null),
    script: (script) => addScript(live, script, null),
    forTest: (name) => testPart(live, { name, url: server.url, token, userToken, ledger }),
    clear: () => void live.clearFaults(),
    reset: () => live.reset(),
    advance: async (duration) => live.advance(duration),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/**
 * Checks a profile: a shipped name, a YAML file or text, or what stands in one. Returns what its
 * author wrote; throws UserError with every mistake in it.
 */
export function parseProfile(profile: string | WrittenProfile): WrittenProfile {
  return readProfileOf({ profile }).written
}

function clockOf({ clock = 'real' }: FakeCrewOptions): ManualClock | RealClock {
  if (clock === 'manual') return new ManualClock()
  if (clock === 'real') return new RealClock()
  const found = JSON.stringify(clock)
  const problem = 'expected "manual" or "real"'
  throw new UserError({ source: 'startFakeCrew()', path: 'clock', found, problem })
}

/** Waits for executions to end. */
class Ends {
  readonly #ledger: () => LedgerRow[]
  readonly #watch: (look: () => void) => () => void
  readonly #waits = new Set<(reason: unknown) => void>()
  #isStopped = false

  constructor(ledger: () => LedgerRow[], watch: (look: () => void) => () => void) {
    this.#ledger = ledger
    this.#watch = watch
  }

  async wait(kickoffId?: string): Promise<LedgerRow | LedgerRow[]> {
    const found = this.#ended(kickoffId)
    if (found !== null) return found
    if (this.#isStopped) throw stopped()
    return new Promise((resolve, reject) => {
      const fail = (reason: unknown): void => {
        leave()
        this.#waits.delete(fail)
        reject(reason)
      }
      const leave = this.#watch(() => {
        try {
          const rows = this.#ended(kickoffId)
          if (rows === null) return
          leave()
          this.#waits.delete(fail)
          resolve(rows)
        } catch (error) {
          fail(error)
        }
      })
      this.#waits.add(fail)
    })
  }

  stop(): void {
    this.#isStopped = true
    for (const fail of this.#waits) fail(stopped())
  }

  /** Null as long as one of them runs. Throws UserError for an id of none. */
  #ended(kickoffId: string | undefined): LedgerRow | LedgerRow[] | null {
    const rows = this.#ledger()
    if (kickoffId === undefined) return rows.length > 0 && rows.every(isOver) ? rows : null
    const row = rows.find(({ kickoff_id: id }) => id === kickoffId)
    if (row !== undefined) return isOver(row) ? row : null
    const found = JSON.stringify(kickoffId)
    throw new UserError({ source: 'ended()', found, problem: 'no execution has this id' })
  }
}

function stopped(): Error {
  return new Error('the fake crew was stopped')
}

function isOver({ outcome }: LedgerRow): boolean {
  return outcome !== 'running'
}

function randomToken(): string {
  return randomBytes(6).toString('hex')
}

/** A fault or a script that was added; `using` ends it with its block. */
interface Added extends Disposable {
  /** The name of a fault in the ledger and in `requests()`. */
  name: string
  /** Ends it; a second call does nothing. */
  end(): void
}

interface TestCrew {
  /** The base URL without a trailing slash. */
  url: string
  token: string
  userToken: string
  /** The true state of every execution up to now, in order of acceptance. */
  ledger(): LedgerRow[]
  /**
   * The requests that were answered, in that order: all, or those with the values of the filter. At
   * least the last 10,000 are kept, or 32 million characters of bodies.
   */
  requests(filter?: RequestFilter): LedgerRequest[]
  /** How many requests are no longer kept. */
  readonly requestsDropped: number
  /** The time on the crew's clock, on which the times of requests and executions are. */
  clock(): LedgerClock
  /** Adds a fault whose times count from now. Throws UserError for a mistake in it. */
  fault(fault: WrittenFault): Added
  /**
   * Says what becomes of executions that are kicked off from now on, before all scripts that were
   * there. Throws UserError with every mistake in it.
   */
  script(script: WrittenScript): Added
}

interface TestPart extends TestCrew, Disposable {
  /** Your client must send it with every kickoff. */
  headers: { 'x-crewload-test': string }
  /** Ends its faults and scripts, and forgets its requests and executions. */
  end(): void
}

/** `test`: only for its requests; null for all. */
function addFault(live: LiveModel, written: WrittenFault, test: string | null): Added {
  const [added] = live.addFaults(checkFaults([written], 'fault'), test)
  const { fault } = added!
  return ending(fault.name, () => void live.clearFaults(fault))
}

/** `test`: only for its kickoffs; null for all. */
function addScript(live: LiveModel, written: WrittenScript, test: string | null): Added {
  const [added] = live.addScripts(written, test)
  return ending(added!.name, () => void live.scripts.clear(added))
}

function ending(name: string, end: () => void): Added {
  return { name, end, [Symbol.dispose]: end }
}

/** What may stand in a header, without a space at either end. */
const NAME = /^[!-~](?:[ -~]*[!-~])?$/

interface PartOfCrew {
  name: string
  url: string
  token: string
  userToken: string
  /** Of the whole crew. */
  ledger: () => LedgerRow[]
}

/** Throws UserError for a name that no header can have. */
function testPart(live: LiveModel, { name, ledger, ...place }: PartOfCrew): TestPart {
  if (!NAME.test(name)) {
    const problem = 'expected a name of printable ASCII characters'
    throw new UserError({ source: 'forTest()', found: JSON.stringify(name), problem })
  }
  const end = (): void => live.forgetTest(name)
  return {
    ...place,
    headers: { [TEST_HEADER]: name },
    ledger: () => ledger().filter(({ test }) => test === name),
    requests: (filter) => live.requests({ ...filter, test: name }),
    get requestsDropped() {
      return live.model.journal?.dropped ?? 0
    },
    clock: () => live.ledgerClock(),
    fault: (fault) => addFault(live, fault, name),
    script: (script) => addScript(live, script, name),
    end,
    [Symbol.dispose]: end,
  }
}
