/** Which proxy to use for a target, according to the usual environment variables. */
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'

/**
 * `HTTP_PROXY`, `HTTPS_PROXY`, then `ALL_PROXY`, and `NO_PROXY`; lower-case names take precedence,
 * as in curl.
 */
export interface ProxyEnvironment {
  readonly [name: string]: string | undefined
}

export interface Proxy {
  url: URL
  /** Value of `proxy-authorization`, from the URL's user and password; null if there are none. */
  authorization: string | null
}

/**
 * The proxy for `target`, or null for none. Loopback is never proxied unless `proxyLoopback`.
 * `NO_PROXY` lists hosts, separated by commas or spaces: `example.org` and `.example.org` cover the
 * name and everything below it, `host:8080` one port, `*` everything. Throws UserError for a proxy
 * that is not an http or https URL.
 */
export function proxyFor(
  target: URL,
  environment: ProxyEnvironment,
  proxyLoopback = false,
): Proxy | null {
  const own = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const name = read(environment, own) === '' ? 'ALL_PROXY' : own
  const text = read(environment, name)
  if (text === '' || (isLoopback(target.hostname) && !proxyLoopback)) return null
  if (isExempt(target, read(environment, 'NO_PROXY'))) return null
  return parseProxy(name, text)
}

function read(environment: ProxyEnvironment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? '').trim()
}

function isExempt(target: URL, noProxy: string): boolean {
  const port = target.port === '' ? defaultPort(target) : target.port
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, host = entry, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      const suffix = host.replace(/^\*?\./, '')
      const covers = target.hostname === suffix || target.hostname.endsWith(`.${suffix}`)
      return covers && (entryPort === undefined || entryPort === port)
    })
}

export function defaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80'
}

function parseProxy(name: string, text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new UserError({
      source: 'environment',
      path: name,
      problem: 'a proxy must be an http:// or https:// URL',
    })
  }
  const credentials = credentialsOf(url)
  if (credentials === null) {
    throw new UserError({
      source: 'environment',
      path: name,
      problem: 'a % in user or password is not followed by two hex digits: write it as %25',
    })
  }
  const authorization =
    credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`
  url.username = ''
  url.password = ''
  return { url, authorization }
}

/** Null if it cannot be decoded. */
function credentialsOf({ username, password }: URL): string | null {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    return null
  }
}
