/**
 * When the arrivals of a process begin: all processes that start within the same period of the wall
 * clock begin at the same time.
 */
import { hashText } from '../../../base/random.ts'
import type { Settings } from './settings.ts'
import type { World } from '../world.ts'

export interface Start {
  /** The zero of the run's clock, after the start of k6's test run. */
  zeroMs: number
  /**
   * The boundary at which all processes begin, in Unix milliseconds; null if the process begins by
   * itself.
   */
  boundaryMs: number | null
}

/** A start that lies at least `leadMs` after the start of k6's test run. */
export function startOf(
  world: Pick<World, 'elapsedMs' | 'unixMs'>,
  { startEverySeconds }: Pick<Settings, 'startEverySeconds'>,
  leadMs: number,
): Start {
  if (startEverySeconds === null) return { zeroMs: leadMs, boundaryMs: null }
  const everyMs = startEverySeconds * 1_000
  const begunMs = world.unixMs() - world.elapsedMs()
  const boundaryMs = Math.ceil((begunMs + leadMs) / everyMs) * everyMs
  return { zeroMs: boundaryMs - begunMs, boundaryMs }
}

/** Different for each use of a manifest, although `given` is always the same. */
export function runIdOf(given: string, { boundaryMs }: Start): string {
  if (boundaryMs === null) return given
  return hashText(`${given} ${boundaryMs}`).toString(16).padStart(8, '0')
}
