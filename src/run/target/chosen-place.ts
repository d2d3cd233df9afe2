/**
 * The target or fake crew that the options name, as far as it is known before anything is started.
 */
import { UserError } from '../../base/mistakes.ts'
import { isProfileText, nameInText } from '../../crew/fake/profile-text.ts'
import type { EngineName, RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { env as processEnv } from 'node:process'
import { proxyFor, proxyName } from '../../host/node/proxy.ts'
import { countShortHeaders, countShortTokens } from '../../host/secrets.ts'
import type { PlaceFacts } from '../run-plan.ts'

/**
 * Reads a base URL: http or https, without credentials and query; a path is kept. Throws UserError
 * with `source` as the place.
 */
export function parseTarget(text: string, source = '--target'): URL {
  const mistake = (problem: string): UserError =>
    new UserError({ source, found: JSON.stringify(withoutCredentials(text)), problem })
  if (!URL.canParse(text)) throw mistake('expected a URL like "http://127.0.0.1:8000"')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw mistake('expected http or https')
  if (url.username !== '' || url.password !== '') {
    throw mistake('credentials do not belong in the URL; use CREWLOAD_TOKEN or --token-file')
  }
  if (url.search !== '' || url.hash !== '') throw mistake('expected no query and no fragment')
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  return url
}

/**
 * The text as written, without what may be secret: everything before the last `@`, and any query or
 * fragment.
 */
function withoutCredentials(text: string): string {
  const at = text.lastIndexOf('@')
  const scheme = /^\w+:(\/\/)?/.exec(text)?.[0] ?? ''
  const shown = at === -1 ? text : `${scheme}...${text.slice(at)}`
  return shown.replace(/([?#]).*/s, '$1...')
}

export type PlaceOptions = Pick<
  RunOptions,
  'target' | 'profile' | 'dialect' | 'tokens' | 'onNote' | 'onTrouble'
>

type Choice = { kind: 'target'; target: URL } | { kind: 'profile'; profile: string }

/** Throws UserError unless exactly one of the two is given, or when the target is no base URL. */
export function onePlace({ target, profile }: { target?: string; profile?: string }): Choice {
  if (target !== undefined && profile !== undefined) {
    throw mistake('cannot be combined with --profile: choose one')
  }
  if (target !== undefined) return { kind: 'target', target: parseTarget(target) }
  if (profile !== undefined) return { kind: 'profile', profile }
  throw mistake('missing: give --target URL, or --profile NAME for a fake crew')
}

/** Which engine reaches the place that the options name, where they name none themselves. */
export function engineFor<Name extends EngineName>({
  engine,
  ...place
}: {
  target?: string
  profile?: string
  engine?: { kind?: Name }
}): Name | 'virtual' | 'node' {
  return engine?.kind ?? (onePlace(place).kind === 'profile' ? 'virtual' : 'node')
}

/** Known before anything is started, for the printed plan. */
export function placeWords(options: PlaceOptions & Pick<RunOptions, 'engine'>): {
  target: string
  profile: string | null
} {
  if (engineOf(options).kind === 'virtual') {
    return { target: 'virtual time', profile: fakeName(demandProfile(options)) }
  }
  const place = onePlace(options)
  if (place.kind === 'target') return { target: place.target.href, profile: null }
  return { target: 'this machine', profile: fakeName(place.profile) }
}

/**
 * The profile that virtual time simulates. Throws UserError for a target, which virtual time cannot
 * reach.
 */
export function demandProfile(options: { target?: string; profile?: string }): string {
  const place = onePlace(options)
  if (place.kind === 'profile') return place.profile
  throw mistake(
    'cannot be used with --engine virtual, which simulates a fake crew: give --profile NAME',
  )
}

export function fakeName(profile: string): string {
  const name = isProfileText(profile) ? nameInText(profile) : profile
  return `fake crew ${JSON.stringify(name)}`
}

function mistake(problem: string): UserError {
  return new UserError({ source: '--target', problem })
}

/** What the plan of every command that sends says of the place: see `PlaceFacts`. */
type Options = PlaceOptions & Pick<RunOptions, 'engine' | 'env' | 'headers'>

/** `headers`: those that are sent, if a scenario may add some. */
export function placeFacts(options: Options, headers = options.headers ?? {}): PlaceFacts {
  const words = placeWords(options)
  if (engineOf(options).kind === 'virtual' || onePlace(options).kind === 'profile') return words
  const proxy = proxyWords(options)
  const shortTokens = countShortTokens(options.tokens ?? [])
  const shortHeaders = countShortHeaders(headers)
  return {
    ...words,
    ...(proxy === null ? {} : { proxy }),
    ...(shortTokens === 0 ? {} : { shortTokens }),
    ...(shortHeaders === 0 ? {} : { shortHeaders }),
  }
}

/**
 * The proxy through which requests to a target go, without user and password; null for none. A fake
 * crew of our own is on loopback, which no proxy serves.
 */
export function proxyWords({ target, env }: Pick<RunOptions, 'target' | 'env'>): string | null {
  if (target === undefined) return null
  const place = onePlace({ target })
  if (place.kind !== 'target') return null
  const proxy = proxyFor(place.target, env ?? processEnv)
  return proxy === null ? null : proxyName(proxy)
}
