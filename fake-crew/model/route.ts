/** Which operation a request's path names, and the methods that the path allows. */
import type { Operation } from '../../src/crew/answer.ts'

export interface Route {
  /** Null for `*`, the server as a whole, which OPTIONS may ask about. */
  operation: Operation | null
  /** The decoded id of a status path. */
  kickoffId: string
  methods: readonly string[]
}

const READ = ['GET', 'HEAD', 'OPTIONS']
const WRITE = ['POST', 'OPTIONS']

const INPUTS: Route = { operation: 'inputs', kickoffId: '', methods: READ }
const KICKOFF: Route = { operation: 'kickoff', kickoffId: '', methods: WRITE }
const SERVER: Route = { operation: null, kickoffId: '', methods: ['OPTIONS'] }
const STATUS_PREFIX = '/status/'

/** Undefined for a path outside the interface. The query is ignored. */
export function matchRoute(target: string): Route | undefined {
  const path = pathOf(target)
  if (path === '/inputs') return INPUTS
  if (path === '/kickoff') return KICKOFF
  if (path === '*') return SERVER
  if (!path.startsWith(STATUS_PREFIX)) return undefined
  const id = path.slice(STATUS_PREFIX.length)
  if (id === '' || id.includes('/')) return undefined
  return { operation: 'status', kickoffId: decoded(id), methods: READ }
}

export function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

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
