/** Header fields that pass a proxy: hop-by-hop fields are removed (RFC 9110, section 7.6.1). */
import type { IncomingHttpHeaders } from 'node:http'

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Names in lower case. `Connection` may name more of them. */
export function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const fields = (headers.connection ?? '').toLowerCase().split(',')
  const named = new Set(fields.map((field) => field.trim()))
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  )
}
