/**
 * The target or fake crew that the options name, as far as it is known before anything is started.
 */
import { UserError } from '../../base/mistakes.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { parseTarget } from './target.ts'

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
  return `fake crew ${JSON.stringify(profile)}`
}

function mistake(problem: string): UserError {
  return new UserError({ source: '--target', path: '', problem })
}
