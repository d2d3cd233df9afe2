/** What a fake crew and its proxy are told in the same words: how it behaves, and where it listens. */
import type { Dialect } from '../src/crew/wire.ts'
import { isLoopback } from '../src/base/loopback.ts'
import type { Mistake } from '../src/base/mistakes.ts'
import { UserError } from '../src/base/mistakes.ts'
import { unknownOptions } from '../src/base/unknown-options.ts'
import type { Profile } from './model/profile.ts'
import { loadProfile } from './profiles.ts'

/** Some of a profile; groups may be given in part too. The rest is the profile `default`. */
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
  /** These three go before the profile's own. */
  dialect?: Dialect
  speed?: number
  seed?: number
}

/** Names of `ServerOptions`; the compiler misses one that is left out. */
export const SERVER_OPTIONS: Record<keyof ServerOptions, true> = {
  profile: true,
  port: true,
  host: true,
  adminToken: true,
  dialect: true,
  speed: true,
  seed: true,
}

/** Throws UserError with every name that is no option. `source`: what takes them. */
export function demandKnownOptions(given: object, known: object, source: string): void {
  const mistakes = unknownOptions(given, { names: Object.keys(known), source })
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Where to listen, checked: control beyond loopback needs a token. */
export interface Place {
  host: string
  port: number
  adminToken: string | null
}

/** Throws UserError: an address beyond loopback without an admin token. */
export function placeOf({ host = '127.0.0.1', port = 0, adminToken }: ServerOptions): Place {
  if (!isLoopback(host) && adminToken === undefined) throw needsAdminToken(host)
  return { host, port, adminToken: adminToken ?? null }
}

/** Throws UserError: no such profile, or mistakes in it. */
export function profileOf({ profile = 'default', ...overrides }: ServerOptions): Profile {
  const base = typeof profile === 'string' ? loadProfile(profile) : completed(profile)
  const whole = overridden(base, overrides)
  demandSound(whole)
  return whole
}

/** What no file could say: a file's mistakes are told when it is read. Throws UserError with all of them. */
function demandSound({ tasks, speed, seed, dialect, stuckChance }: Profile): void {
  const mistakes: Mistake[] = []
  const demand = (isSound: boolean, path: string, found: unknown, problem: string): void => {
    if (!isSound) mistakes.push({ source: 'profile', path, found: String(found), problem })
  }
  const hasTasks = Array.isArray(tasks) && tasks.length > 0
  demand(hasTasks, 'tasks', hasTasks ? '' : 'none', 'expected at least one task')
  demand(Number.isFinite(speed) && speed > 0, 'speed', speed, 'expected a number above 0')
  demand(Number.isSafeInteger(seed) && seed >= 0, 'seed', seed, 'expected a whole number from 0')
  const isDialect = dialect === 'interface' || dialect === 'platform'
  demand(isDialect, 'dialect', dialect, 'expected "interface" or "platform"')
  const isShare = stuckChance >= 0 && stuckChance <= 1
  demand(isShare, 'stuckChance', stuckChance, 'expected a share from 0 to 1')
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** With what was asked for beside the profile, any profile: the first one, or one that comes later. */
export function overridden(base: Profile, overrides: ServerOptions): Profile {
  const { dialect = base.dialect, speed = base.speed, seed = base.seed } = overrides
  return { ...base, dialect, speed, seed }
}

function completed(partial: PartialProfile): Profile {
  const base = loadProfile('default')
  demandKnownOptions(partial, base, 'profile')
  return {
    ...base,
    ...partial,
    capacity: { ...base.capacity, ...partial.capacity },
    http: { ...base.http, ...partial.http },
    tokens: { ...base.tokens, ...partial.tokens },
    limits: { ...base.limits, ...partial.limits },
  }
}

function needsAdminToken(host: string): UserError {
  const problem = 'an address beyond loopback needs an admin token (CREWLOAD_FAKE_ADMIN_TOKEN)'
  return new UserError({ source: 'fake crew', path: 'host', found: host, problem })
}
