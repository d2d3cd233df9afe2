/**
 * Finds what loads show besides the queue: refusals, failures, a cold start, drift, another load,
 * and a step in front of the workers.
 */
import { upperMedian } from '../../../../result/statistics/rising.ts'
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import { shareInterval } from '../../../../result/statistics/shares.ts'
import type { Learned } from './learn.ts'
import { isRefused, ranWhile, refusedWithRoom, soonOf, taskTimesOf } from './learn.ts'
import { differenceError } from './quantiles.ts'
import { isSlower, slowdownOf } from './slowdown.ts'
import type { LoadFacts } from '../seen.ts'
import { serviceOf, waitingSpans } from '../seen.ts'

/** A difference of this many standard errors is not due to chance. */
const SURELY = 4
const FEWEST = 20
/** A limit that refuses less than this share of kickoffs does not decide the capacity. */
const LIMITED = 0.01

/** `isLimited`: whether something other than a full queue refuses kickoffs. */
export function kickoffRefusals({ loads, queueLimit }: Learned): {
  refused: number
  kickoffs: number
  isLimited: boolean
} {
  const executions = loads.flatMap(({ seen }) => seen.executions)
  const refused = executions.filter(isRefused).length
  const isLimited = queueLimit === null && refused > LIMITED * executions.length
  return { refused, kickoffs: executions.length, isLimited }
}

/**
 * Whether no further load could change that finding: clients that come one after the other are
 * refused although the crew has room for them, many times and surely more often than matters.
 * Clients that come all at once may be refused for that reason alone.
 */
export function isSurelyLimited(learned: Learned): boolean {
  if (!kickoffRefusals(learned).isLimited) return false
  const steady = learned.loads.filter(({ seen }) => seen.load.kind === 'open' || isSteadyLoad(seen))
  const executions = steady.flatMap(({ seen }) => seen.executions)
  const refused = executions.filter(isRefused).length
  const share = shareInterval(refused, executions.length, SURE_SHARE)
  return share !== null && share.low > LIMITED && refusedWithRoom(steady, learned) >= FEWEST
}

const SURE_SHARE = 0.999

/** The failed share of executions that began while workers were free, and while none was. */
export function failuresOf({ loads, slotsSeen }: Learned): {
  free: number
  full: number
  grow: boolean
} {
  const shareWhile = (crew: 'full' | 'idle'): { n: number; share: number } => {
    const counted = loads.flatMap((load) => ranWhile(crew, load, slotsSeen))
    const failed = counted.filter(({ outcome }) => outcome === 'failed').length
    return { n: counted.length, share: failed / Math.max(1, counted.length) }
  }
  const [free, full] = [shareWhile('idle'), shareWhile('full')]
  const n = free.n + full.n
  const pooled = (free.n * free.share + full.n * full.share) / Math.max(1, n)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / free.n + 1 / full.n))
  const isKnown = free.n >= FEWEST && full.n >= FEWEST
  const grow = isKnown && full.share - free.share > SURELY * error
  return { free: free.share, full: full.share, grow }
}

interface SlowTask {
  task: string
  idleMicros: number
  fullMicros: number
}

/** Tasks that surely take longer while every worker is busy, the worst first. */
export function slowTasksOf(learned: Learned): SlowTask[] {
  return taskTimesOf(learned)
    .flatMap(({ task, full, idle }) => {
      if (full.length < FEWEST || idle.length < FEWEST) return []
      const [fullMicros, idleMicros] = [meanOf(full), meanOf(idle)]
      const isSlower = fullMicros - idleMicros > SURELY * differenceError(full, idle)
      return isSlower ? { task, idleMicros, fullMicros } : []
    })
    .toSorted((a, b) => b.fullMicros / b.idleMicros - a.fullMicros / a.idleMicros)
}

/**
 * The longest time from acceptance to start in an empty crew, in microseconds; null if the crew has
 * no cold start, or if workers that scale explain such waits.
 */
export function coldStartMicros({ loads, isExact, scaling }: Learned): number | null {
  if (!isExact || scaling !== null) return null
  const waits = loads.flatMap(({ ran }) => {
    const firstEnd = Math.min(...ran.map(({ ended }) => ended))
    return ran
      .filter(({ started }) => started < firstEnd)
      .map(({ accepted, started }) => started - accepted)
  })
  const longest = Math.max(0, ...waits)
  return longest > COLD_MICROS ? longest : null
}

/** A shorter wait is not a cold start. */
const COLD_MICROS = 100_000

interface Drift {
  /** The relative change of service times; 0.1 if they became a tenth longer. */
  change: number
  /** Where the drift was observed: while all workers were busy, or at most half of them. */
  crew: 'full' | 'idle'
}

/**
 * The change of service times from the first half of the search to the second; null if it may be
 * due to chance.
 */
export function driftOf(learned: Learned): Drift | null {
  return driftOfFull(learned) ?? driftOfIdle(learned)
}

function driftOfFull(learned: Learned): Drift | null {
  const held = learned.loads.filter(({ seen }) => isSteadyLoad(seen))
  const alike = held.length > 0 ? held : learned.loads
  const times = alike.flatMap((load) => inOrder(load, learned.slotsSeen))
  const half = times.length >> 1
  const change = changeOf(times.slice(0, half), times.slice(half))
  return change === null ? null : { change, crew: 'full' }
}

/**
 * Compares the ladder, which begins with a crew that is half empty, with the probes, which also
 * leave it half empty. Where executions slow each other down, those of a probe are slower
 * without any drift, since others begin beside them.
 */
function driftOfIdle(learned: Learned): Drift | null {
  const { loads, slotsSeen } = learned
  const slowdown = slowdownOf(learned)
  if (slowdown !== null && isSlower(slowdown)) return null
  const [first, last] = (['closed', 'open'] as const).map((kind) =>
    loads
      .filter(({ seen }) => seen.load.kind === kind)
      .flatMap((load) => ranWhile('idle', load, slotsSeen).map(serviceOf)),
  )
  const change = changeOf(first!, last!)
  return change === null ? null : { change, crew: 'idle' }
}

function changeOf(first: readonly number[], second: readonly number[]): number | null {
  if (first.length < FEWEST || second.length < FEWEST) return null
  const [before, after] = [meanOf(first), meanOf(second)]
  const isSure = Math.abs(after - before) > SURELY * differenceError(first, second)
  return isSure ? after / before - 1 : null
}

/**
 * Whether the load keeps the same number of executions in the crew, so that a change in it is a
 * change over time.
 */
export function isSteadyLoad({ load }: LoadFacts['seen']): boolean {
  return load.kind === 'closed' && load.executions > load.clients
}

function inOrder(load: LoadFacts, slots: number): number[] {
  const ran = load.ran.toSorted((a, b) => a.started - b.started)
  return ranWhile('full', { ...load, ran }, slots).map(serviceOf)
}

/**
 * The load of other clients: its executions, which are null without a ledger, and the mean number
 * of workers that it keeps busy. A ledger reports it. Without one, it shows in a varying number of
 * workers: while executions wait, a crew without other load always runs the same number of them.
 * Null where none shows.
 */
export function otherLoadOf(
  learned: Learned,
): { executions: number | null; workers: number } | null {
  const others = learned.loads.flatMap(({ seen }) => seen.others ?? [])
  if (others.length > 0) {
    const executions = sumBy(others, (each) => each.executions)
    const busy = sumBy(others, (each) => each.busyMicros)
    const span = sumBy(others, (each) => each.spanMicros)
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

/**
 * The number of running executions while one surely waits: the tenth and ninetieth percentile, and
 * the mean, over time.
 */
function busyWhileWaiting(loads: readonly LoadFacts[]): {
  low: number
  high: number
  mean: number
} {
  const spans = loads.filter(areEndsKnown).flatMap(waitingSpans)
  spans.sort((a, b) => a.atWork - b.atWork)
  const all = sumBy(spans, ({ micros }) => micros)
  if (all === 0) return { low: 0, high: 0, mean: 0 }
  const mean = sumBy(spans, ({ micros, atWork }) => micros * atWork) / all
  const busyAt = (micros: number): number => {
    let gone = 0
    return spans.find((span) => (gone += span.micros) >= micros)?.atWork ?? 0
  }
  return { low: busyAt(0.1 * all), high: busyAt(0.9 * all), mean }
}

function areEndsKnown({ ran }: LoadFacts): boolean {
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
  if (beside.length < FEWEST_BESIDE || waits.length < MOSTLY_WAIT * beside.length) return null
  return upperMedian(waits)
}

const NOTICED = 100_000
const FEWEST_BESIDE = 8
const MOSTLY_WAIT = 0.6
