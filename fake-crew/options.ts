/** Options that a fake crew and its proxy share: how it behaves, and where it listens. */
import { isLoopback } from '../src/base/loopback.ts'
import { UserError } from '../src/base/mistakes.ts'
import { unknownOptions } from '../src/base/options/table.ts'
import type { WrittenProfile } from './model/profile.ts'
import type { ProfileOverrides, ReadProfile } from './profiles.ts'
import { checkProfile, readNamed } from './profiles.ts'

/** `dialect`, `speed` and `seed` take precedence over the profile's own values. */
export interface ServerOptions extends ProfileOverrides {
  /** A shipped name, a YAML file, its text, or what stands in it. Default: `default`. */
  profile?: string | WrittenProfile
  /** Default 0: the system chooses. */
  port?: number
  /** Default 127.0.0.1. An address beyond loopback needs an admin token. */
  host?: string
  /** Opens `/__fake__/` to callers beyond loopback. Default: none. */
  adminToken?: string
}

/** Names of `ServerOptions`; the compiler reports one that is left out. */
export const SERVER_OPTIONS: Record<keyof ServerOptions, true> = {
  profile: true,
  port: true,
  host: true,
  adminToken: true,
  dialect: true,
  speed: true,
  seed: true,
}

/**
 * Throws UserError with every unknown option name. `source`: the function that takes the options.
 */
export function demandKnownNames(given: object, known: object, source: string): void {
  const mistakes = unknownOptions(given, { names: Object.keys(known), source })
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** The address to listen on, validated: control beyond loopback needs a token. */
export interface ListenPlace {
  host: string
  port: number
  adminToken: string | null
}

/** Throws UserError: an address beyond loopback without an admin token. */
export function listenPlaceOf({
  host = '127.0.0.1',
  port = 0,
  adminToken,
}: ServerOptions): ListenPlace {
  if (!isLoopback(host) && adminToken === undefined) throw needsAdminToken(host)
  return { host, port, adminToken: adminToken ?? null }
}

/** Throws UserError for an unknown profile or mistakes in it. */
export function readProfileOf({ profile = 'default', ...options }: ServerOptions): ReadProfile {
  const overrides = overridesOf(options)
  if (typeof profile === 'string') return readNamed(profile, overrides)
  return checkProfile({ ...profile, ...overrides }, 'profile')
}

/** The options that take precedence over the first profile and any later one. */
export function overridesOf({ dialect, speed, seed }: ServerOptions): ProfileOverrides {
  const given = Object.entries({ dialect, speed, seed }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function needsAdminToken(host: string): UserError {
  const problem = 'an address beyond loopback needs an admin token (CREWLOAD_FAKE_ADMIN_TOKEN)'
  return new UserError({ source: 'fake crew', path: 'host', found: host, problem })
}
