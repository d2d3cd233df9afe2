/** Who is near: loopback addresses, and the URL of a server that listens on one or on another. */
import { isIPv6 } from 'node:net'

/** 127.0.0.0/8, also as IPv4 in IPv6, ::1 and `localhost`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(host)
}

/** A wildcard address is no destination: its URL names the loopback one. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
