/**
 * Checks whether a crew behaves as the model that was learned from it: replays the same arrivals
 * many times in the simulation, and compares the result with what was observed.
 */
import type { ConfirmedPart, ConfirmedWait } from '../../document.ts'
import { meanOf, sumBy, sumOf } from '../../../../result/statistics/moments.ts'
import { quantileBands, rankOf } from '../../../../result/statistics/quantiles.ts'
import { inverseNormal } from '../../../../base/random.ts'
import type { Random } from '../../../../base/random.ts'
import type { Learned } from '../learn/learn.ts'
import { ranWhile } from '../learn/learn.ts'
import { differenceError } from '../learn/quantiles.ts'
import { serviceOf, SHORTEST_WAIT_MICROS, servicesOf } from '../seen.ts'
import type { Ran, LoadFacts } from '../seen.ts'
import { atRank } from '../model/simulate.ts'
import { waitsOf } from '../model/queue.ts'
import type { CrewSystem } from '../model/system.ts'
import type { Woken } from '../waking.ts'
import type { ReplayedStays } from './replays.ts'
import { replayedLoadOf, readReplays, staysTaken } from './replays.ts'

/**
 * The number of replays of the same arrivals. If the model is right, the observation lies outside
 * all of them with a probability of 1 in 200, whatever its distribution.
 */
export const REPLAYS = 400
/**
 * A disagreement must lie outside all replays, and outside all but this share of a normal
 * distribution (both sides together).
 */
const LEVEL = 0.002
const Z = inverseNormal(1 - LEVEL / 2)
/**
 * A smaller relative difference of service times is no disagreement, since it moves the capacity by
 * less than the precision asked for.
 */
const ALIKE = 0.02

type PartName = ConfirmedPart['name']

export interface Confirmation {
  executions: number
  /**
   * `predicted`: the middle of the replays; `low` and `high` enclose all replays, and 99.8 % of a
   * normal distribution fitted to them.
   */
  parts: ConfirmedPart[]
  /** Observed and predicted waits at equal shares of the executions, in microseconds. */
  waits: ConfirmedWait[]
  /** The arrival rate times the mean service time over the slots; above 1 the queue grows. */
  load: number
  /**
   * The logarithm of the factor by which service times differ, beyond chance, from those learned; 0
   * if they do not, or if the model is refused.
   */
  offBy: number
}

export interface ConfirmTerms {
  /** The half-width of the interval asked for, as a share of the capacity. */
  within: number
  random: Random
}

export function confirmLearned(
  observing: Woken,
  before: Learned,
  system: CrewSystem,
  { within, random }: ConfirmTerms,
): Confirmation {
  const { facts: load, present } = observing
  const arrivals = replayedLoadOf(observing)
  const ran = load.ran.toSorted((a, b) => a.accepted - b.accepted)
  const own =
    system.shared === null
      ? servicePart({ ...load, ran: ran.slice(present) }, before, within, random.fork('dealt'))
      : null
  const offBy = own?.offBy ?? 0
  const replaying = { times: Math.exp(offBy), arrivals, before, random, count: REPLAYS }
  const replays = readReplays(system, replaying, traitsOf)
  const part = (name: keyof Omit<Traits, 'waits'>, observed: number): ConfirmedPart =>
    logPart(
      name,
      observed,
      replays.map((replay) => replay[name]),
    )
  const [waits, stays] = [
    ran.map(({ accepted, started }) => started - accepted),
    ran.map(({ accepted, ended }) => ended - accepted),
  ]
  const parts = [
    own?.part ?? widened(part('service', meanOf(servicesOf(ran))), TOLERATED * within),
    part('stay', meanOf(stays)),
    part('tail', p95Of(stays)),
    // Starts that were inferred by this order, or lie between two polls, cannot test the order.
    ...(before.isExact ? [orderPart(ran, before, system)] : []),
  ]
  const services = servicesOf(ran.slice(present))
  const [first, last] = [arrivals.at[present] ?? 0, arrivals.at.at(-1) ?? 0]
  const perMicro = (services.length - 1) / (last - first)
  return {
    executions: load.seen.executions.length,
    parts,
    waits: quantileBands(
      SHARES,
      Float64Array.from(waits).sort(),
      replays.map((replay) => replay.waits),
      BAND,
    ),
    offBy,
    load: (perMicro * meanOf(services)) / system.slots,
  }
}

/** Whether the crew behaved as the model in every part. */
export function agrees({ parts }: Confirmation): boolean {
  return parts.every((part) => part.agrees)
}

/** What one replay showed: its mean service time, the mean and the p95 of its stays, its waits. */
interface Traits {
  service: number
  stay: number
  tail: number
  /** In rising order. */
  waits: Float64Array
}

function traitsOf(columns: ReplayedStays): Traits {
  const { waits, services } = staysTaken(columns)
  const stays = services.map((service, i) => waits[i]! + service)
  return {
    service: meanOf(services),
    stay: meanOf(stays),
    tail: p95Of(stays),
    waits: waits.sort(),
  }
}

function logPart(name: PartName, observed: number, replayed: readonly number[]): ConfirmedPart {
  const logs = replayed.map((value) => Math.log(Math.max(1, value)))
  const middle = meanOf(logs)
  const [below, above] = [-1, 1].map((side) => Math.max(ALIKE, Z * spreadTo(side, logs, middle)))
  const low = Math.exp(Math.min(middle - below!, ...logs))
  const high = Math.exp(Math.max(middle + above!, ...logs))
  const agrees = observed >= low && observed <= high
  return { name, observed, predicted: Math.exp(middle), low, high, agrees }
}

/** A server that passes calls on stands for a quota exactly, for a processor only about. */
function widened({ low, high, ...part }: ConfirmedPart, share: number): ConfirmedPart {
  const [least, most] = [low * (1 - share), high * (1 + share)]
  const agrees = part.observed >= least && part.observed <= most
  return { ...part, low: least, high: most, agrees }
}

/**
 * The standard deviation of the values on one side of the middle. Each side has its own, because
 * near saturation even the logarithms are skewed.
 */
function spreadTo(side: number, values: readonly number[], middle: number): number {
  const far = values.map((value) => (value - middle) * side).filter((value) => value > 0)
  return Math.sqrt(sumBy(far, (value) => value ** 2) / Math.max(1, far.length))
}

/**
 * The share of the half-width asked for by which service times may differ: such a difference moves
 * the capacity by less than that half-width.
 */
const TOLERATED = 0.6

/**
 * Compares the mean service times of the full crew, learned and observed, with those of
 * permutations of both (Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses", 2005,
 * chapter 3), because the mean of a few skewed times is not normal.
 */
function servicePart(
  load: LoadFacts,
  { full, slotsSeen }: Learned,
  within: number,
  random: Random,
): { part: ConfirmedPart; offBy: number } {
  const now = ranWhile('full', load, slotsSeen).map(serviceOf)
  const then = Array.from(full.micros)
  const predicted = meanOf(then)
  if (now.length < FEWEST || then.length < FEWEST) {
    const same = { observed: predicted, predicted, low: predicted, high: predicted }
    return { part: { name: 'service', ...same, agrees: true }, offBy: 0 }
  }
  const observed = meanOf(now)
  const error = differenceError(now, then)
  const alike = Math.max(ALIKE, TOLERATED * within) * predicted
  const [below, above] = dealtAnew(now, then, random)
  const low = predicted + Math.min(-alike, -Z * error, below)
  const high = predicted + Math.max(alike, Z * error, above)
  const agrees = observed >= low && observed <= high
  const beyond = Math.abs(observed - predicted) - SURELY * error
  return {
    part: { name: 'service', observed, predicted, low, high, agrees },
    offBy:
      agrees && beyond > 0 ? Math.sign(observed - predicted) * Math.log1p(beyond / predicted) : 0,
  }
}

const DEALS = 1_000

/**
 * Returns the extreme differences of the means, below and above 0, when the values are divided
 * between the two sides at random.
 */
function dealtAnew(
  now: readonly number[],
  then: readonly number[],
  random: Random,
): [number, number] {
  const all = [...now, ...then]
  const sum = sumOf(all)
  let [below, above] = [0, 0]
  for (let deal = 0; deal < DEALS; deal++) {
    let first = 0
    for (let i = 0; i < now.length; i++) {
      const other = i + random.int(all.length - i)
      ;[all[i], all[other]] = [all[other]!, all[i]!]
      first += all[i]!
    }
    const difference = first / now.length - (sum - first) / then.length
    below = Math.min(below, difference)
    above = Math.max(above, difference)
  }
  return [below, above]
}

/** A difference of this many standard errors is not due to chance. */
const SURELY = 3

/** The fewest values whose mean is compared. */
const FEWEST = 10

/**
 * Compares observed waits with those that the order first come, first served would give for the
 * observed service times. They can differ only by the time between an end and the next start.
 */
function orderPart(ran: readonly Ran[], { loads }: Learned, system: CrewSystem): ConfirmedPart {
  const arrivals = Float64Array.from(ran, ({ accepted }) => accepted)
  const services = Float64Array.from(ran, ({ started, ended }) => ended - started)
  const waits = new Float64Array(ran.length)
  waitsOf({ slots: system.slots, queueLimit: null }, arrivals, services, waits)
  const observed = meanOf(ran.map(({ started, accepted }) => started - accepted))
  const predicted = meanOf(waits)
  const misplaced = meanOf(
    ran.map(({ started, accepted }, i) => Math.abs(started - accepted - waits[i]!)),
  )
  const slack = ORDER_SLACK * meanOf(services)
  const agrees =
    misplaced <= slack + ORDER_SLACK * observed &&
    ![ran, ...loads.map((load) => load.ran)].some(areOvertaken)
  return {
    name: 'order',
    observed,
    predicted,
    low: Math.max(0, predicted - slack),
    high: predicted + slack,
    agrees,
  }
}

/**
 * Whether executions that waited were overtaken: others that surely arrived later began before
 * them. In a crew of many workers, waits of open arrivals are too short to show that by their
 * length.
 */
function areOvertaken(ran: readonly Ran[]): boolean {
  const byArrival = ran.toSorted((a, b) => b.accepted - a.accepted)
  let [waited, overtaken, earliest, later] = [0, 0, Infinity, 0]
  for (const { accepted, started } of byArrival) {
    while (byArrival[later]!.accepted > accepted + SHORTEST_WAIT_MICROS) {
      earliest = Math.min(earliest, byArrival[later++]!.started)
    }
    if (started - accepted <= SHORTEST_WAIT_MICROS) continue
    waited++
    if (started - earliest > SHORTEST_WAIT_MICROS) overtaken++
  }
  return waited >= FEWEST && overtaken > Math.max(OVERTAKEN.few, OVERTAKEN.share * waited)
}

/**
 * The number and share of waiting executions that may be overtaken: a few change places on their
 * way to the workers, and one that wakes the crew up begins after others that found it awake.
 */
const OVERTAKEN = { few: 3, share: 0.05 }

/**
 * How far starts may be from the order first come, first served, as a share of the mean service
 * time.
 */
const ORDER_SLACK = 0.05

const SHARES = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 0.99]
/** The share of replays that lie between the ends of the band. */
const BAND = 0.95

function p95Of(values: ArrayLike<number>): number {
  return atRank(Float64Array.from(values), rankOf(values.length, 0.95) - 1) ?? 0
}
