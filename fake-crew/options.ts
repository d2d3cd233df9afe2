/** Options that a fake crew and its proxy share: how it behaves, and where it listens. */
import type { Dialect } from '../src/crew/wire.ts'
import { isLoopback } from '../src/base/loopback.ts'
import { UserError } from '../src/base/mistakes.ts'
import { unknownOptions } from '../src/base/options/table.ts'
import type { Profile } from './model/profile.ts'
import { checkProfile, loadProfile } from './profiles.ts'

/** Part of a profile; groups may be partial too. The rest comes from the profile `default`. */
export type PartialProfile = {
  [Key in keyof Profile]?: Profile[Key] extends readonly unknown[] | null
    ? Profile[Key]
    : Profile[Key] extends object
      ? Partial<Profile[Key]>
      : Profile[Key]
}

export interface ServerOptions {
  /** A shipped name, a YAML file, or a profile (whole or in part). Default: `default`. */
  profile?: string | PartialProfile
  /** Default 0: the system chooses. */
  port?: number
  /** Default 127.0.0.1. An address beyond loopback needs an admin token. */
  host?: string
  /** Opens `/__fake__/` to callers beyond loopback. Default: none. */
  adminToken?: string
  /** These three take precedence over the profile's own values. */
  dialect?: Dialect
  speed?: number
  seed?: number
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
export function demandKnownOptions(given: object, known: object, source: string): void {
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
export function placeOf({ host = '127.0.0.1', port = 0, adminToken }: ServerOptions): ListenPlace {
  if (!isLoopback(host) && adminToken === undefined) throw needsAdminToken(host)
  return { host, port, adminToken: adminToken ?? null }
}

/** Throws UserError for an unknown profile or mistakes in it. */
export function profileOf({ profile = 'default', ...overrides }: ServerOptions): Profile {
  const base = typeof profile === 'string' ? loadProfile(profile) : completed(profile)
  const whole = overridden(base, overrides)
  checkProfile(whole, 'profile')
  return whole
}

/** Applies the options that override the profile: to the first profile and to any later one. */
export function overridden(base: Profile, overrides: ServerOptions): Profile {
  const { dialect = base.dialect, speed = base.speed, seed = base.seed } = overrides
  return { ...base, dialect, speed, seed }
}

function completed(partial: PartialProfile): Profile {
  const base = loadProfile('default')
  demandKnownOptions(partial, base, 'profile')
  const whole = merged(base, partial)
  for (const group of ['capacity', 'http', 'tokens', 'limits'] as const) {
    const given: unknown = partial[group]
    if (isMapping(given)) Object.assign(whole, { [group]: merged(base[group], given) })
  }
  return whole
}

/** Undefined options count as not given. */
function merged<Base extends object>(base: Base, given: object): Base {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...base, ...(Object.fromEntries(entries) as Partial<Base>) }
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function needsAdminToken(host: string): UserError {
  const problem = 'an address beyond loopback needs an admin token (CREWLOAD_FAKE_ADMIN_TOKEN)'
  return new UserError({ source: 'fake crew', path: 'host', found: host, problem })
}
