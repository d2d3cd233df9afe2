/** Which proxy to use for a target, according to the usual environment variables. */
import { BlockList, isIP, isIPv6 } from 'node:net'
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
  /** Without user and password. */
  url: URL
  /** The environment variable that names it. */
  variable: string
  /** Value of `proxy-authorization`, from the URL's user and password; null if there are none. */
  authorization: string | null
}

/**
 * The proxy for `target`, or null for none. Loopback is never proxied unless `proxyLoopback`.
 * `NO_PROXY` lists hosts, separated by commas or spaces: `example.org` and `.example.org` cover the
 * name and everything below it, `10.0.0.0/8` and `fd00::/8` the addresses of a network, `10.*` all
 * that begin alike, `host:8080` one port, `*` everything. No name is resolved for it. Throws
 * UserError for a proxy that is not an http or https URL, or a host with a port.
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

/** What is shown of a proxy: no user, no password. */
export function proxyName({ url }: Pick<Proxy, 'url'>): string {
  return url.origin
}

function read(environment: ProxyEnvironment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? '').trim()
}

function isExempt(target: URL, noProxy: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const port = target.port === '' ? defaultPort(target) : target.port
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (isIPv6(entry) || entry.includes('/')) return coversAddress(entry, host)
      const [, name = entry, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (entryPort !== undefined && entryPort !== port) return false
      const bare = name.replace(/^\[|\]$/g, '')
      return isIP(bare) === 0 ? coversName(bare, host) : coversAddress(bare, host)
    })
}

/** `range`: an address, or a network in CIDR notation. One that cannot be read covers nothing. */
function coversAddress(range: string, host: string): boolean {
  const [network = '', bits] = range.split('/', 2)
  const width = isIPv6(network) ? 128 : 32
  const prefix = bits === undefined ? width : Number(bits)
  const readable = isIP(network) !== 0 && (bits === undefined || /^\d{1,3}$/.test(bits))
  if (!readable || prefix > width || isIP(host) === 0) return false
  const covered = new BlockList()
  covered.addSubnet(network, prefix, width === 128 ? 'ipv6' : 'ipv4')
  return covered.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

/** `pattern`: a name, which covers those below it too, or one with `*` for any characters. */
function coversName(pattern: string, host: string): boolean {
  const suffix = pattern.replace(/^\*?\./, '').replace(/\.$/, '')
  if (!suffix.includes('*')) {
    return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`))
  }
  const [begin = '', ...parts] = suffix.split('*')
  const end = parts.pop() ?? ''
  if (!host.startsWith(begin)) return false
  let at = begin.length
  for (const part of parts) {
    const found = host.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return host.length - end.length >= at && host.endsWith(end)
}

export function defaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80'
}

function parseProxy(name: string, text: string): Proxy {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw new UserError({
      source: 'environment',
      path: name,
      problem: 'a proxy must be an http:// or https:// URL, or host:port',
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
  return { url, variable: name, authorization }
}

/** Null if it cannot be decoded. */
function credentialsOf({ username, password }: URL): string | null {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    return null
  }
}
