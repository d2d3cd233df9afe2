/**
 * Learns the cold start of a crew: an execution that begins late in an empty crew, although every
 * worker is free, waited for the crew to wake up.
 */
import { middleOf } from '../../../../result/inferred-workers/observed-stay.ts'
import type { Micros } from '../../../../base/units.ts'
import type { SeenRun, Taken } from '../seen.ts'
import { takenOf } from '../seen.ts'

export interface LearnedColdStart {
  /** The length of each cold start that was observed. */
  delays: readonly Micros[]
  /** The longest idle time after which the crew was still awake; null if none was observed. */
  awakeAfter: Micros | null
  /**
   * The shortest idle time after which the crew slept; null if only starts of runs were observed.
   */
  asleepAfter: Micros | null
}

/** A shorter wait is not a cold start. */
const SHORTEST: Micros = 100_000

interface Visit {
  /** The idle time before it; null at the beginning of a run. */
  idle: Micros | null
  /** The wait for the crew to wake up: its lower bound (`surely`), and its estimate (`about`). */
  surely: Micros
  about: Micros
}

/** Null if no execution waited in an empty crew, or nothing reports when executions begin. */
export function learnColdStart(runs: readonly SeenRun[]): LearnedColdStart | null {
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
        about: middleOf(started) - accepted,
      })
    }
    busyUntil = Math.max(busyUntil ?? 0, ended?.high ?? Infinity)
  }
  return visits
}

/**
 * The time at which each execution could begin if a worker were free: its acceptance, or the end of
 * a cold start.
 */
export function readyAt(run: readonly Taken[], cold: LearnedColdStart | null): Micros[] {
  if (cold === null) return run.map(({ accepted }) => accepted)
  let [busyUntil, awakeAt] = [-Infinity, -Infinity]
  return run.map(({ accepted, started, ended }) => {
    const isAlone = accepted >= busyUntil
    const isCold = isAlone && started !== null && started.low - accepted > SHORTEST
    if (isCold) awakeAt = middleOf(started)
    busyUntil = Math.max(busyUntil, ended?.high ?? Infinity)
    return Math.max(accepted, awakeAt)
  })
}
