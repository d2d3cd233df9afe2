/** The proxy through which a run's requests go, as plan and report name it. */
import { env as processEnv } from 'node:process'
import { proxyFor, proxyName } from '../../host/node/proxy.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { onePlace } from './chosen-place.ts'

/** Without user and password; null where there is none. */
export function proxyWords(
  options: Pick<RunOptions, 'target' | 'profile' | 'engine' | 'env'>,
): string | null {
  if (engineOf(options).kind === 'virtual') return null
  const place = onePlace(options)
  if (place.kind !== 'target') return null
  const proxy = proxyFor(place.target, options.env ?? processEnv)
  return proxy === null ? null : proxyName(proxy)
}
