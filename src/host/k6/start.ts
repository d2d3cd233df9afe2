/**
 * When the arrivals of a process begin: all processes that are let go within the same stretch of
 * the wall clock begin at the same moment.
 */
import { hashText } from '../../base/random.ts'
import type { Settings } from './settings.ts'
import type { World } from './world.ts'

export interface Start {
  /** After the start of k6's test run. */
  zeroMs: number
  /** Of the wall clock, Unix milliseconds; null where the process begins by itself. */
  boundaryMs: number | null
}

/** At the earliest `leadMs` after the start of k6's test run. */
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

/** Of each use of a manifest: `given` is the same for all. */
export function runIdOf(given: string, { boundaryMs }: Start): string {
  if (boundaryMs === null) return given
  return hashText(`${given} ${boundaryMs}`).toString(16).padStart(8, '0')
}
