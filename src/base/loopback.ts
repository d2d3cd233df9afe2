/** Which addresses are on this machine: load there costs nobody money. */

/**
 * True for `localhost`, 127.0.0.0/8 (also as IPv4 in IPv6) and ::1; the brackets of a URL are
 * ignored.
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(bare)
}
