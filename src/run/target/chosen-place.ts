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
import type { CrewPlace } from '../../execution/record/crew-place.ts'
import type { PlaceFacts } from '../forecast.ts'

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

/** As known before anything is started, for the printed plan. */
export function plannedPlace(options: PlaceOptions & Pick<RunOptions, 'engine'>): CrewPlace {
  if (engineOf(options).kind === 'virtual') {
    return { kind: 'virtual', profile: profileName(demandProfile(options)) }
  }
  const place = onePlace(options)
  if (place.kind === 'target') return { kind: 'deployment', target: baseText(place.target) }
  return { kind: 'fake', profile: profileName(place.profile), own: true }
}

/** A base URL without the slash at its end. */
export function baseText({ href }: URL): string {
  return href.replace(/\/$/, '')
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

/** The name of a profile that is given by name or file, or as its text. */
export function profileName(profile: string): string {
  return isProfileText(profile) ? nameInText(profile) : profile
}

function mistake(problem: string): UserError {
  return new UserError({ source: '--target', problem })
}

/** What the plan of every command that sends says of the place: see `PlaceFacts`. */
type Options = PlaceOptions & Pick<RunOptions, 'engine' | 'env' | 'headers'>

/** `headers`: those that are sent, if a scenario may add some. */
export function placeFacts(options: Options, headers = options.headers ?? {}): PlaceFacts {
  const place = plannedPlace(options)
  if (place.kind !== 'deployment') return { place }
  const proxy = proxyWords(options)
  const shortTokens = countShortTokens(options.tokens ?? [])
  const shortHeaders = countShortHeaders(headers)
  return {
    place,
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
