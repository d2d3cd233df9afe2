/**
 * Who may use the control: whoever has the admin token, or else this machine's own programs, and no
 * web page in its browser.
 */
import { isIP } from 'node:net'
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../../src/base/loopback.ts'
import { bearerToken } from '../../model/gates.ts'

export interface Caller {
  /** The peer's address. */
  ip: string
  headers: IncomingHttpHeaders
}

/** Why a caller is turned away. */
export interface Barred {
  status: 401 | 403
  message: string
}

const NEEDS_TOKEN: Barred = { status: 401, message: 'The control needs its admin token' }
const NOT_FROM_HERE: Barred = {
  status: 401,
  message: 'The control of a fake crew is open on loopback, or with its admin token',
}
const FROM_A_PAGE: Barred = {
  status: 403,
  message: 'The control without an admin token is closed to web pages',
}
const BY_NAME: Barred = {
  status: 403,
  message:
    "The control without an admin token is open by address or as localhost, for any other name may be a web page's",
}

/**
 * Null for a caller that may. Where a token is set, it alone counts: a proxy on this machine makes
 * every caller one of loopback. Without one, a page in a browser here could send requests too: such
 * a request has an `Origin` or says in `Sec-Fetch-Site` where it comes from, and after DNS
 * rebinding its `Host` is the page's name.
 */
export function barred({ ip, headers }: Caller, adminToken: string | null): Barred | null {
  if (adminToken !== null) {
    return bearerToken(headers.authorization) === adminToken ? null : NEEDS_TOKEN
  }
  if (!isLoopback(ip)) return NOT_FROM_HERE
  if (isFromPage(headers)) return FROM_A_PAGE
  return isAddress(headers.host ?? '') ? null : BY_NAME
}

/** What a user types or follows is a navigation, which no page can read the answer of. */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return true
  const site = headers['sec-fetch-site'] ?? 'none'
  return site !== 'none' && site !== 'same-origin' && headers['sec-fetch-mode'] !== 'navigate'
}

/** The host of a `Host` header, its port aside: an IP address, or localhost. */
function isAddress(host: string): boolean {
  const name = host.replace(/:\d*$/, '')
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return isIP(bare) !== 0 || isLoopback(bare.toLowerCase())
}
