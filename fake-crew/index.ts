/**
 * The fake crew as a library: `const crew = await startFakeCrew({ profile: 'fast' })` inside any
 * test.
 */
import { randomBytes } from 'node:crypto'
import type { LedgerRow } from '../src/crew/ledger.ts'
import type { Dialect } from '../src/crew/wire.ts'
import type { Crew } from './model/crew.ts'
import { createCrew } from './model/crew.ts'
import type { WrittenProfile } from './model/profile.ts'
import type { ServerOptions } from './options.ts'
import { SERVER_OPTIONS, demandKnownOptions, overridesOf, placeOf, profileOf } from './options.ts'
import type { FakeProxy, FakeProxyOptions } from './proxy.ts'
import { startFakeProxy } from './proxy.ts'
import { crewBackend } from './server/crew-backend.ts'
import { LiveModel } from './server/live-model.ts'
import { serve } from './server/server.ts'

export type { Dialect, FakeProxy, FakeProxyOptions, LedgerRow, WrittenProfile }
export { startFakeProxy }

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
}

const OPTIONS: Record<keyof FakeCrewOptions, true> = {
  ...SERVER_OPTIONS,
  token: true,
  userToken: true,
  idSeed: true,
}

export interface FakeCrew {
  /** The base URL without a trailing slash. */
  url: string
  token: string
  userToken: string
  /** The true state of every execution up to now, in order of acceptance. */
  ledger(): LedgerRow[]
  /** Answers every request in flight immediately and closes; takes well under a second. */
  stop(): Promise<void>
}

/**
 * Starts a fake crew in this process. Throws UserError for an unknown option, an invalid profile,
 * or an address that is unavailable or not allowed.
 */
export async function startFakeCrew(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  demandKnownOptions(options, OPTIONS, 'startFakeCrew()')
  const place = placeOf(options)
  const { token = randomToken(), userToken = randomToken() } = options
  const tokens = { organization: token, user: userToken }
  const live = new LiveModel<Crew>(
    profileOf(options),
    (profile, start) => createCrew(profile, { tokens, ...start }),
    { idSeed: options.idSeed, overrides: overridesOf(options) },
  )
  const server = await serve({ ...place, backend: crewBackend(live) })
  return {
    url: server.url,
    token,
    userToken,
    ledger: () => [...live.model.ledger(live.nowMicros())],
    stop: async () => server.stop(),
  }
}

function randomToken(): string {
  return randomBytes(6).toString('hex')
}
