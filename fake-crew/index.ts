/** The fake crew as a library: `const crew = await startFakeCrew({ profile: 'fast' })` inside any test. */
import { randomBytes } from 'node:crypto'
import type { LedgerRow } from '../src/crew/ledger.ts'
import type { Dialect } from '../src/crew/wire.ts'
import { isLoopback } from '../src/loopback.ts'
import { UserError } from '../src/mistakes.ts'
import type { Profile } from './model/profile.ts'
import { loadProfile } from './profiles.ts'
import { LiveCrew } from './server/live-crew.ts'
import { serve } from './server/server.ts'

export type { Dialect, LedgerRow, Profile }

/** Some of a profile; groups may be given in part too. The rest is the profile `default`. */
export type PartialProfile = {
  [Key in keyof Profile]?: Profile[Key] extends readonly unknown[] | null
    ? Profile[Key]
    : Profile[Key] extends object
      ? Partial<Profile[Key]>
      : Profile[Key]
}

export interface FakeCrewOptions {
  /** A shipped name, a YAML file, or a profile (whole or in part). Default: `default`. */
  profile?: string | PartialProfile
  /** Default 0: the system chooses. */
  port?: number
  /** Default 127.0.0.1. An address beyond loopback needs an admin token. */
  host?: string
  /** The organization token. Default: 12 random hexadecimal characters, as seen in the field. */
  token?: string
  /** Default: likewise. */
  userToken?: string
  /** Opens `/__fake__/` to callers beyond loopback. Default: none. */
  adminToken?: string
  /** These three go before the profile's own. */
  dialect?: Dialect
  speed?: number
  seed?: number
}

export interface FakeCrew {
  /** Without a slash at its end. */
  url: string
  token: string
  userToken: string
  /** The truth up to now, in order of acceptance. */
  ledger(): LedgerRow[]
  /** Answers what is in flight at once and closes; well under a second. */
  stop(): Promise<void>
}

/** Starts a fake crew in this process. Throws UserError: a wrong profile, an address that cannot be had or is not allowed. */
export async function startFakeCrew(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  const { host = '127.0.0.1', port = 0, adminToken = null } = options
  if (!isLoopback(host) && adminToken === null) throw needsAdminToken(host)
  const { token = randomToken(), userToken = randomToken() } = options
  const crew = new LiveCrew(profileOf(options), { organization: token, user: userToken })
  const server = await serve({ crew, host, port, adminToken })
  return {
    url: server.url,
    token,
    userToken,
    ledger: () => [...crew.ledger()],
    stop: async () => server.stop(),
  }
}

function profileOf({ profile = 'default', ...overrides }: FakeCrewOptions): Profile {
  const base = typeof profile === 'string' ? loadProfile(profile) : completed(profile)
  const { dialect = base.dialect, speed = base.speed, seed = base.seed } = overrides
  return { ...base, dialect, speed, seed }
}

function completed(partial: PartialProfile): Profile {
  const base = loadProfile('default')
  return {
    ...base,
    ...partial,
    capacity: { ...base.capacity, ...partial.capacity },
    http: { ...base.http, ...partial.http },
    tokens: { ...base.tokens, ...partial.tokens },
    limits: { ...base.limits, ...partial.limits },
  }
}

function randomToken(): string {
  return randomBytes(6).toString('hex')
}

function needsAdminToken(host: string): UserError {
  const problem = 'an address beyond loopback needs an admin token (CREWLOAD_FAKE_ADMIN_TOKEN)'
  return new UserError({ source: 'fake crew', path: 'host', found: host, problem })
}
