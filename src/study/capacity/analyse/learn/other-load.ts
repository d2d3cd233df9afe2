/**
 * Finds signs of something else on the crew beside the search: another load, or a step in front of
 * the workers.
 */
import type { Learned, LoadFacts } from './learn.ts'
import { soonOf } from './learn.ts'
import type { Ran } from './seen.ts'
import { waitingSpans } from './waiting.ts'

export interface OtherLoad {
  /** The number of its executions by the ledger; null where it shows only in the workers. */
  executions: number | null
  /** The mean number of workers that it keeps busy. */
  workers: number
}

/**
 * The load of other clients. A ledger reports it. Without one, it shows in a varying number of
 * workers: while executions wait, a crew without other load always runs the same number of them.
 * Null where none shows.
 */
export function otherLoadOf(learned: Learned): OtherLoad | null {
  const told = learned.loads.flatMap(({ seen }) => seen.others ?? [])
  if (told.length > 0) {
    const [executions, busy, span] = told.reduce(
      ([n, micros, of], each) => [
        n + each.executions,
        micros + each.busyMicros,
        of + each.spanMicros,
      ],
      [0, 0, 0],
    )
    return executions === 0 ? null : { executions, workers: busy / Math.max(1, span) }
  }
  const { hidden, scaling, unsteady } = learned
  if (hidden !== null || scaling !== null || unsteady !== null) return null
  if (stepInFrontMicros(learned) !== null) return null
  const { low, high, mean } = busyWhileWaiting(learned.loads)
  const isSteady = high - low <= STEADY.workers + STEADY.share * high
  return isSteady ? null : { executions: null, workers: high - mean }
}

/** The variation of the number of running executions that can be an effect of polls alone. */
const STEADY = { workers: 2, share: 0.12 }
/**
 * The most that an end may be uncertain, as a share of the median service time, to be used for
 * this.
 */
const MOST_WITHIN = 0.25

interface Busy {
  low: number
  high: number
  mean: number
}

/**
 * The number of running executions while one surely waits: the tenth and ninetieth percentile, and
 * the mean, over time.
 */
function busyWhileWaiting(loads: readonly LoadFacts[]): Busy {
  const spans = loads.flatMap((load) => (isTelling(load.ran) ? waitingSpans(load) : []))
  spans.sort((a, b) => a.atWork - b.atWork)
  const all = spans.reduce((sum, { micros }) => sum + micros, 0)
  if (all === 0) return { low: 0, high: 0, mean: 0 }
  const mean = spans.reduce((sum, { micros, atWork }) => sum + micros * atWork, 0) / all
  return { low: busyAt(spans, 0.1 * all), high: busyAt(spans, 0.9 * all), mean }
}

function busyAt(rising: ReturnType<typeof waitingSpans>, micros: number): number {
  let gone = 0
  return rising.find((span) => (gone += span.micros) >= micros)?.atWork ?? 0
}

function isTelling(ran: readonly Ran[]): boolean {
  const service = soonOf(ran, 1)
  return ran.every(({ endedWithin }) => endedWithin <= MOST_WITHIN * service)
}

/**
 * Returns how long executions wait although at least half of the workers are free and others have
 * ended before, so that the crew is awake; null if most of them do not wait.
 */
export function stepInFrontMicros({ loads, slotsSeen, scaling }: Learned): number | null {
  // Before they scale, fewer workers are there.
  const few = scaling === null ? slotsSeen / 2 : 1
  const beside = loads
    .filter(({ seen: { load } }) => load.kind === 'closed' && load.clients <= few)
    .flatMap(({ ran }) => {
      const firstEnd = Math.min(...ran.map(({ ended }) => ended))
      return ran.filter(({ accepted }) => accepted >= firstEnd)
    })
  const waits = beside
    .filter(({ accepted, started, endedWithin }) => started - accepted > endedWithin + NOTICED)
    .map(({ accepted, started }) => started - accepted)
  if (beside.length < FEWEST || waits.length < MOSTLY * beside.length) return null
  return waits.toSorted((a, b) => a - b)[waits.length >> 1]!
}

const NOTICED = 100_000
const FEWEST = 8
const MOSTLY = 0.6
