/** Replays the arrivals of a load in the simulation, each time with another crew of that kind. */
import { serviceOf } from '../seen.ts'
import type { Random } from '../../../../base/random.ts'
import type { Learned } from '../learn/learn.ts'
import { resampledCrew } from '../model/interval.ts'
import { TURNED_AWAY, waitsOf } from '../model/queue.ts'
import { serveOpen, sharesFor } from '../model/shared-crew.ts'
import type { CrewSystem } from '../model/system.ts'
import type { Woken } from '../waking.ts'
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import { besideOf } from '../learn/learn.ts'

export interface ReplayedLoad {
  /** When each execution arrived, in rising order. */
  at: Float64Array
  /** How long those took that were at work at the beginning; they are the first. */
  began: readonly number[]
  /** How long the first execution, which finds every worker free, waited for the crew to wake. */
  wakeMicros: number
}

export function replayedLoadOf({ facts: { ran: unordered, seen }, present }: Woken): ReplayedLoad {
  const ran = unordered.toSorted((a, b) => a.accepted - b.accepted)
  const began = ran.slice(0, present)
  const later = seen.executions.map((each) => each.accepted ?? each.intended)
  const [first] = ran
  return {
    at: Float64Array.from([...began.map(({ accepted }) => accepted), ...later]).sort(),
    began: began.map(({ accepted, ended }) => ended - accepted),
    wakeMicros: first === undefined ? 0 : first.started - first.accepted,
  }
}

interface Replaying {
  arrivals: ReplayedLoad
  before: Learned
  /** The factor by which a replay multiplies the learned service times. */
  times: number
  count: number
  random: Random
}

/** What each arrival of a replay waited, or `TURNED_AWAY`, and its time with a worker. */
export interface ReplayedStays {
  at: Float64Array
  waits: Float64Array
  services: Float64Array
}

/** Without what was turned away. */
export function staysTaken({ at, waits, services }: ReplayedStays): ReplayedStays {
  const isTaken = (_: number, i: number): boolean => waits[i] !== TURNED_AWAY
  return {
    at: at.filter(isTaken),
    waits: waits.filter(isTaken),
    services: services.filter(isTaken),
  }
}

/**
 * Reads each replay, whose columns the next one overwrites. Each has resampled service times: those
 * of another crew that could as well have been learned.
 */
export function readReplays<T>(
  system: CrewSystem,
  { arrivals: { at, began, wakeMicros }, before, times, count, random }: Replaying,
  read: (columns: ReplayedStays) => T,
): T[] {
  const pace = system.shared === null ? paceOf(before) : null
  const waits = new Float64Array(at.length)
  const services = new Float64Array(at.length)
  const places = new Int32Array(at.length)
  return Array.from({ length: count }, (_, i) => {
    const own = random.fork('replay', i)
    const crew = withPhase(resampledCrew(system, own.fork('sample')), i / count)
    const { micros } = crew.service
    for (let n = 0; n < services.length; n++) {
      places[n] = own.int(micros.length)
      services[n] = times * micros[places[n]!]!
    }
    if (services.length > 0) services[0]! += wakeMicros
    services.set(began)
    if (crew.shared === null) waitsOf(system, at, services, waits, pace)
    else {
      const shares = sharesFor(crew.service, crew.shared.visits)
      const works = { micros: services.slice(), places, shares }
      const columns = { works, waits, services }
      serveOpen({ ...crew, shared: crew.shared }, at, columns, TURNED_AWAY)
    }
    return read({ at, waits, services })
  })
}

/** Nobody knows when the windows of a quota begin, so the replays differ in it. */
function withPhase(crew: CrewSystem, share: number): CrewSystem {
  const { shared } = crew
  if (shared?.refill.kind !== 'window') return crew
  const fromMicros = -share * shared.refill.micros
  return { ...crew, shared: { ...shared, refill: { ...shared.refill, fromMicros } } }
}

/**
 * Returns the time of an execution relative to its time in a full crew, by the share of workers
 * that are busy, 0 to 1, its own included: 1 for a full crew.
 */
type Pace = (busyShare: number) => number

/** Null if service times do not surely change with the number of busy workers. */
function paceOf({ loads, slotsSeen }: Learned): Pace | null {
  const points = loads
    .flatMap((load) => besideOf(load, slotsSeen))
    .map(({ each, share }) => ({ micros: serviceOf(each), share }))
  if (points.length < FEWEST) return null
  const shareMean = meanOf(points.map(({ share }) => share))
  const mean = meanOf(points.map(({ micros }) => micros))
  let [squares, products] = [0, 0]
  for (const { share, micros } of points) {
    squares += (share - shareMean) ** 2
    products += (share - shareMean) * (micros - mean)
  }
  const slope = products / squares
  const rest = sumBy(
    points,
    ({ share, micros }) => (micros - mean - slope * (share - shareMean)) ** 2,
  )
  const error = Math.sqrt(rest / (points.length - 2) / squares)
  if (!(squares > 0 && Math.abs(slope) > SURELY * error)) return null
  const full = mean + slope * (1 - shareMean)
  return (share) => Math.max(LEAST, (mean + slope * (Math.min(1, share) - shareMean)) / full)
}

/** The fewest executions through which a line is drawn. */
const FEWEST = 30
/** A slope of this many standard errors is not due to chance. */
const SURELY = 4
/** The least value of the line; below it, the line is not extrapolated. */
const LEAST = 0.1
