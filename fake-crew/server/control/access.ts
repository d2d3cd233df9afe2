/**
 * Decides who may use the control: holders of the admin token or, without one, programs on this
 * machine, but no web page in its browser.
 */
import { isIP } from 'node:net'
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../../src/base/loopback.ts'
import { bearerToken } from '../../model/call.ts'

export interface Caller {
  /** The peer's address. */
  ip: string
  headers: IncomingHttpHeaders
}

/** Why a caller is refused. */
export interface AccessRefusal {
  status: 401 | 403
  message: string
}

const NEEDS_TOKEN: AccessRefusal = { status: 401, message: 'The control requires the admin token' }
const NOT_FROM_HERE: AccessRefusal = {
  status: 401,
  message: 'Without the admin token, the control of a fake crew is open on loopback only',
}
const FROM_A_PAGE: AccessRefusal = {
  status: 403,
  message: 'Without an admin token, the control is closed to web pages',
}
const BY_NAME: AccessRefusal = {
  status: 403,
  message:
    'Without an admin token, the control accepts only an IP address or localhost ' +
    'as Host: another name may belong to a web page',
}

/**
 * Null for a permitted caller. If a token is set, only the token counts: behind a proxy on this
 * machine, every caller has a loopback address. Without a token, a page in a browser on this
 * machine could send requests too: such a request has an `Origin` or says in `Sec-Fetch-Site` where
 * it comes from, and after DNS rebinding its `Host` is the page's name.
 */
export function accessRefusal(
  { ip, headers }: Caller,
  adminToken: string | null,
): AccessRefusal | null {
  if (adminToken !== null) {
    return bearerToken(headers.authorization) === adminToken ? null : NEEDS_TOKEN
  }
  if (!isLoopback(ip)) return NOT_FROM_HERE
  if (isFromPage(headers)) return FROM_A_PAGE
  return isAddress(headers.host ?? '') ? null : BY_NAME
}

/** A URL that a user types or follows is a navigation, whose answer no page can read. */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return true
  const site = headers['sec-fetch-site'] ?? 'none'
  return site !== 'none' && site !== 'same-origin' && headers['sec-fetch-mode'] !== 'navigate'
}

/** The host of a `Host` header without its port: an IP address, or localhost. */
function isAddress(host: string): boolean {
  const name = host.replace(/:\d*$/, '')
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return isIP(bare) !== 0 || isLoopback(bare.toLowerCase())
}
