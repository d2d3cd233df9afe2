/** Which operation a request's path names, and the methods that the path allows. */
import type { Operation } from '../../src/crew/answer.ts'
import type { CrewPaths } from '../../src/crew/crew-request.ts'
import { DOCUMENTED_PATHS, ID_PLACE, RESUME_PATH } from '../../src/crew/crew-request.ts'
import type { KickoffIdCode } from './work/kickoff-id.ts'

export interface CrewRoute {
  /** Null for `*`, the server as a whole, which OPTIONS may ask about. */
  operation: Operation | null
  /** The decoded id of a status path. */
  kickoffId: string
  methods: readonly string[]
}

const READ = ['GET', 'HEAD', 'OPTIONS']
const WRITE = ['POST', 'OPTIONS']

const INPUTS: CrewRoute = { operation: 'inputs', kickoffId: '', methods: READ }
const KICKOFF: CrewRoute = { operation: 'kickoff', kickoffId: '', methods: WRITE }
const RESUME: CrewRoute = { operation: 'resume', kickoffId: '', methods: WRITE }
const SERVER: CrewRoute = { operation: null, kickoffId: '', methods: ['OPTIONS'] }

/** Undefined for a path outside the interface. The query is ignored. */
export function matchRoute(target: string, paths = DOCUMENTED_PATHS): CrewRoute | undefined {
  const path = pathOf(target)
  if (path === paths.inputs) return INPUTS
  if (path === paths.kickoff) return KICKOFF
  if (path === RESUME_PATH) return RESUME
  if (path === '*') return SERVER
  const id = idIn(path, paths.status)
  if (id === '' || id.includes('/')) return undefined
  return { operation: 'status', kickoffId: decoded(id), methods: READ }
}

/** Empty for another path. */
function idIn(path: string, template: string): string {
  const at = template.indexOf(ID_PLACE)
  const rest = template.slice(at + ID_PLACE.length)
  if (!path.startsWith(template.slice(0, at)) || !path.endsWith(rest)) return ''
  return path.slice(at, Math.max(at, path.length - rest.length))
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

interface Path {
  /** Undefined for a path outside the interface. */
  route: CrewRoute | undefined
  /** The ordinal that a status path names; undefined for an id that this crew never issues. */
  issued: number | undefined
}

/** Paths kept at once. When there are as many, all are dropped. */
const MOST = 16_384
/** A longer path is read each time; a status path has 44 characters. */
const MAX_LENGTH = 100

/**
 * Paths are kept, because an execution's polls repeat theirs: reading one is a twentieth of what a
 * poll costs in virtual time.
 */
export class PathReader {
  readonly #ids: KickoffIdCode
  readonly #paths: CrewPaths | undefined
  readonly #known = new Map<string, Path>()

  constructor(ids: KickoffIdCode, { paths }: { paths?: CrewPaths | undefined }) {
    this.#ids = ids
    this.#paths = paths
  }

  read(target: string): Path {
    const known = this.#known.get(target)
    if (known !== undefined) return known
    const route = matchRoute(target, this.#paths)
    const issued = route?.operation === 'status' ? this.#ids.ordinalOf(route.kickoffId) : undefined
    const path = { route, issued }
    if (target.length <= MAX_LENGTH) this.#keep(target, path)
    return path
  }

  #keep(target: string, path: Path): void {
    if (this.#known.size === MOST) this.#known.clear()
    this.#known.set(target, path)
  }
}
