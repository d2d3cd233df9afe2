/** The URL of a server that listens on an address. */
import { isIPv6 } from 'node:net'

/** A wildcard address is no destination: its URL names the loopback one. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
