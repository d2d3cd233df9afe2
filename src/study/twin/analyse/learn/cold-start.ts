/**
 * A crew that sleeps: who comes into an empty crew and begins late, although every worker is free,
 * has waited for it to wake up.
 */
import type { Micros } from '../../../../base/units.ts'
import type { SeenRun } from '../seen/seen.ts'
import type { Taken } from './ran.ts'
import { middle, takenOf } from './ran.ts'

export interface ColdStart {
  /** Each time that the crew was woken, how long that took. */
  delays: readonly Micros[]
  /** The longest time without work after which it was still awake; null where none was seen. */
  awakeAfter: Micros | null
  /** The shortest after which it slept; null where only beginnings of runs were seen. */
  asleepAfter: Micros | null
}

/** A shorter wait is no wake-up. */
const SHORTEST: Micros = 100_000

interface Visit {
  /** The time without work before it; null at the beginning of a run. */
  idle: Micros | null
  /** The wait for the crew to wake up: the least that it took, and about how long. */
  surely: Micros
  about: Micros
}

/** Null where nobody waited in an empty crew, or nothing tells when executions begin. */
export function learnColdStart(runs: readonly SeenRun[]): ColdStart | null {
  const visits = runs
    .filter(({ truth }) => truth !== 'polls')
    .flatMap((run) => visitsIn(takenOf(run)))
  const cold = visits.filter(({ surely }) => surely > SHORTEST)
  if (cold.length === 0) return null
  const warm = visits.filter(({ surely, idle }) => surely <= SHORTEST && idle !== null)
  const gaps = cold.flatMap(({ idle }) => idle ?? [])
  return {
    delays: cold.map(({ about }) => about),
    awakeAfter: warm.length === 0 ? null : Math.max(...warm.map(({ idle }) => idle ?? 0)),
    asleepAfter: gaps.length === 0 ? null : Math.min(...gaps),
  }
}

function visitsIn(run: readonly Taken[]): Visit[] {
  const visits: Visit[] = []
  let busyUntil: Micros | null = null
  for (const { accepted, started, ended } of run) {
    if (started !== null && (busyUntil === null || accepted >= busyUntil)) {
      visits.push({
        idle: busyUntil === null ? null : accepted - busyUntil,
        surely: started.low - accepted,
        about: middle(started) - accepted,
      })
    }
    busyUntil = Math.max(busyUntil ?? 0, ended?.high ?? Infinity)
  }
  return visits
}

/** When each could begin, were a worker free: later than its acceptance while the crew wakes. */
export function readyAt(run: readonly Taken[], cold: ColdStart | null): Micros[] {
  if (cold === null) return run.map(({ accepted }) => accepted)
  let [busyUntil, awakeAt] = [-Infinity, -Infinity]
  return run.map(({ accepted, started, ended }) => {
    const isAlone = accepted >= busyUntil
    const isCold = isAlone && started !== null && started.low - accepted > SHORTEST
    if (isCold) awakeAt = middle(started)
    busyUntil = Math.max(busyUntil, ended?.high ?? Infinity)
    return Math.max(accepted, awakeAt)
  })
}
