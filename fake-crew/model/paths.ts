/** Reads paths for one crew: which operation a path names, and which execution. */
import type { Profile } from './profile.ts'
import type { CrewRoute } from './route.ts'
import { matchRoute } from './route.ts'
import type { KickoffIdCode } from './work/kickoff-id.ts'

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
  readonly #paths: Profile['paths']
  readonly #known = new Map<string, Path>()

  constructor(ids: KickoffIdCode, { paths }: Pick<Profile, 'paths'>) {
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
