/** What the plan of every command that sends says of the place: see `PlaceFacts`. */
import { env as processEnv } from 'node:process'
import { proxyFor, proxyName } from '../../host/node/proxy.ts'
import type { PlaceFacts } from '../../report/run/terminal/place.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import type { PlaceOptions } from './chosen-place.ts'
import { onePlace, placeWords } from './chosen-place.ts'
import { countShort } from './place-notes.ts'

type Options = PlaceOptions & Pick<RunOptions, 'engine' | 'env'>

export function placeFacts(options: Options): PlaceFacts {
  const words = placeWords(options)
  if (engineOf(options).kind === 'virtual' || onePlace(options).kind === 'profile') return words
  const proxy = proxyWords(options)
  const shortTokens = countShort(options.tokens ?? [])
  return {
    ...words,
    ...(proxy === null ? {} : { proxy }),
    ...(shortTokens === 0 ? {} : { shortTokens }),
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
