/** The URL of a server that listens on an address. */
import { isIPv6 } from 'node:net'

/** A wildcard address cannot be connected to: its URL names the loopback address. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
