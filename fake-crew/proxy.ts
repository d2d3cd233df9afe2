/**
 * The proxy as a library: limits and faults of a profile in front of a real target, to test any
 * client of it.
 */
import { UserError } from '../src/base/mistakes.ts'
import { Gateway } from './model/gateway.ts'
import type { ServerOptions } from './options.ts'
import {
  SERVER_OPTIONS,
  demandKnownNames,
  overridesOf,
  listenPlaceOf,
  readProfileOf,
} from './options.ts'
import { LiveModel } from './server/live-model.ts'
import { proxyBackend } from './server/proxy-backend.ts'
import { serve } from './server/server.ts'

export interface FakeProxyOptions extends ServerOptions {
  /**
   * Base URL of the target, http or https; request paths are appended to its path. Its certificate
   * is verified.
   */
  target: string | URL
}

export interface FakeProxy {
  /** The base URL without a trailing slash. */
  url: string
  /** The limits and faults between client and target, by name, in the order of the profile. */
  limits: readonly string[]
  faults: readonly string[]
  /** Answers waiting requests immediately and closes; takes well under a second. */
  stop(): Promise<void>
}

/**
 * Starts a proxy in this process. It uses only the limits and faults of the profile: tasks and
 * times are the target's own. Throws UserError: as `startFakeCrew`; for an invalid URL; for faults
 * that need a fake crew's executions.
 */
export async function startFakeProxy({ target, ...options }: FakeProxyOptions): Promise<FakeProxy> {
  demandKnownNames(options, SERVER_OPTIONS, 'startFakeProxy()')
  const place = listenPlaceOf(options)
  const to = targetOf(target)
  const live = new LiveModel(
    readProfileOf(options),
    (profile, start) => new Gateway(profile, start),
    {
      overrides: overridesOf(options),
    },
  )
  const server = await serve({ ...place, backend: proxyBackend(live, to) })
  const { limits, faults } = live.profile
  return {
    url: server.url,
    limits: limits.rules.map(({ name }) => name),
    faults: faults.map(({ name }) => name),
    stop: async () => server.stop(),
  }
}

function targetOf(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  const problem = 'expected a URL like "https://crew.example"'
  throw new UserError({ source: 'proxy', path: 'target', problem })
}
