/** The request target in its origin form, which is all that the routes know. */

const ABSOLUTE = /^https?:\/\/[^/?#]*/i
/** Escapes of letters, digits, hyphen, period, underscore and tilde (RFC 3986, section 2.3). */
const UNRESERVED = /%(?:2d|2e|3[\d]|[46][1-9a-f]|[57][\da]|5f|7e)/gi

/**
 * A server must accept a whole URL as the target (RFC 9112, section 3.2.2), and an escaped
 * unreserved character is that character (RFC 3986, section 6.2.2.2).
 */
export function originForm(target: string): string {
  const path = target.replace(ABSOLUTE, '')
  const rooted = path === target || path.startsWith('/') ? path : `/${path}`
  return rooted.includes('%')
    ? rooted.replace(UNRESERVED, (escape) => decodeURIComponent(escape))
    : rooted
}
