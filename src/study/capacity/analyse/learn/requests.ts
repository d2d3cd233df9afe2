/**
 * Measures what requests add to the time that an execution spends in the crew: until it is
 * accepted, and until its end is known. Where that grows with load, requests wait for each other in
 * front of the crew, in a queue that is not simulated.
 */
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Detection } from '../model/detection.ts'
import { isSteadyLoad } from './besides-queue.ts'
import type { Learned } from './learn.ts'
import { isRefused } from './learn.ts'
import type { Ran, LoadFacts } from '../seen.ts'
import { clientsOf } from '../seen.ts'

export interface Requests {
  /**
   * The added time while few clients poll (`fewMicros`), and under the steady load with the most
   * (`manyMicros`).
   */
  fewMicros: Micros
  manyMicros: Micros
  /** The standard error of the difference. */
  errorMicros: Micros
}

interface PollingCost {
  /** Returns when clients learn of ends if a request takes this long. */
  detectionOf: (requestMicros: Micros) => Detection
  /** The smallest bound among the promises. */
  boundMicros: Micros
}

/** Null if no load had few clients, or none was steady. */
function requestsOf(
  { loads, slotsSeen }: Learned,
  { detectionOf, boundMicros }: PollingCost,
): Requests | null {
  const fewest = Math.min(...loads.map(({ seen }) => clientsOf(seen)))
  const isFew = ({ seen }: LoadFacts): boolean =>
    clientsOf(seen) <= Math.max(fewest, FEW * slotsSeen)
  const alone = loads.filter(isFew)
  // Kickoffs that all begin at once wait for each other, which a steady load does not make them do.
  const steady = loads.filter(
    (load) => !isFew(load) && (load.seen.load.kind === 'open' || isSteadyLoad(load.seen)),
  )
  if (fewest === Infinity || alone.length === 0) return null
  const polled = alone.filter(({ seen }) => seen.polls.all > 0)
  const took = polled.length === 0 ? 0 : meanOf(polled.map(({ seen }) => seen.polls.tookMicros))
  const detection = detectionOf(took)
  const added = (ran: readonly Ran[]): number[] =>
    ran.map((each, client) => addedMicros(each, { detection, client }))
  const few = added(alone.flatMap(({ ran }) => ran.filter((each) => !isRefused(each))))
  const many = steady
    .map(({ ran }) => summaryOf(added(decidingOf(ran, boundMicros))))
    .filter(({ n }) => n >= FEWEST)
    .toSorted((a, b) => b.mean - b.error - (a.mean - a.error))[0]
  if (few.length === 0 || many === undefined) return null
  const { mean, error } = summaryOf(few)
  return {
    fewMicros: mean,
    manyMicros: many.mean,
    errorMicros: Math.hypot(error, many.error),
  }
}

/**
 * Requests that become slower by more than this share of the smallest bound change the capacity.
 */
const SLOWER = 0.02
/** The number of standard errors that may be due to chance. */
const BY_CHANCE = 2

/**
 * Null if requests do not become slower, beyond chance, by so much that it changes the capacity.
 */
export function grownRequestsOf(learned: Learned, polling: PollingCost): Requests | null {
  const requests = requestsOf(learned, polling)
  if (requests === null) return null
  const { fewMicros, manyMicros, errorMicros } = requests
  const growth = manyMicros - fewMicros - BY_CHANCE * errorMicros
  return growth > SLOWER * polling.boundMicros ? requests : null
}

/** Up to this number of clients per worker, polls hardly meet each other. */
const FEW = 0.5
const FEWEST = 8

/**
 * The executions that take about as long as is promised: they decide whether the promise holds, and
 * poll while the crew holds most others. Returns all executions if only few take that long.
 */
function decidingOf(ran: readonly Ran[], boundMicros: Micros): readonly Ran[] {
  const atOnce = ran.filter((each) => !isRefused(each))
  const deciding = atOnce.filter(({ intended, ended }) => {
    const share = (ended - intended) / boundMicros
    return share >= NEAR.least && share <= NEAR.most
  })
  return deciding.length >= FEWEST ? deciding : atOnce
}

const NEAR = { least: 0.5, most: 1.1 }

/**
 * Returns what the requests of one execution add, less what polls would add without load.
 */
function addedMicros(
  { known, intended, accepted, ended, kickoffMicros, admittedMicros }: Ran,
  { detection, client }: { detection: Detection; client: number },
): Micros {
  if (known === null) return kickoffMicros
  const answered = Math.max(intended, accepted + kickoffMicros - admittedMicros)
  const expected = detection.knownMicros(Math.max(0, ended - answered), client)
  const late = Number.isFinite(expected) ? known - answered - expected : 0
  return kickoffMicros + late
}

function summaryOf(values: readonly number[]): { n: number; mean: number; error: number } {
  const n = values.length
  return n === 0
    ? { n, mean: 0, error: 0 }
    : { n, mean: meanOf(values), error: deviationOf(values) / Math.sqrt(n) }
}
