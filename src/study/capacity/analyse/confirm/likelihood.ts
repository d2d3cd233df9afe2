/**
 * Tells how likely a model makes what a load showed: the density of a normal distribution through
 * replays of its arrivals, at a few numbers that tell models apart (Wood, "Statistical inference
 * for noisy nonlinear ecological dynamic systems", Nature 2010).
 */
import { rankOf } from '../../../../result/statistics/quantiles.ts'
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import type { Learned } from '../learn/learn.ts'
import type { CrewSystem } from '../model/system.ts'
import type { Woken } from '../waking.ts'
import type { ReplayedStays } from './replays.ts'
import { replayedLoadOf, readReplays, staysTaken } from './replays.ts'

const REPLAYS = 100

/** The logarithm of the density; only differences between models mean something. */
export function logLikelihood(
  load: Woken,
  before: Learned,
  system: CrewSystem,
  random: Random,
): number {
  const { ran } = load.facts
  const observed = {
    at: Float64Array.from(ran, ({ accepted }) => accepted),
    waits: Float64Array.from(ran, ({ accepted, started }) => started - accepted),
    services: Float64Array.from(ran, ({ started, ended }) => ended - started),
  }
  const groups = groupsOf(besideOf(observed))
  const replaying = { arrivals: replayedLoadOf(load), before, times: 1, count: REPLAYS, random }
  const replayed = readReplays(system, replaying, (columns) => traitsOf(columns, groups))
  return logDensity(traitsOf(observed, groups), replayed)
}

/** The most executions at work that few are, and the fewest that many are. */
interface Groups {
  few: number
  many: number
}

function groupsOf(beside: Int32Array): Groups {
  const sorted = beside.toSorted()
  const third = Math.floor(sorted.length / 3)
  return { few: sorted[third] ?? 0, many: sorted.at(-1 - third) ?? 0 }
}

/** The number of executions at work when each begins, its own included. */
function besideOf({ at, waits, services }: ReplayedStays): Int32Array {
  const starts = Float64Array.from(at, (arrived, i) => arrived + waits[i]!)
  const ends = starts.map((started, i) => started + services[i]!).sort()
  const inOrder = Int32Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]!)
  const beside = new Int32Array(starts.length)
  let ended = 0
  for (const [begun, i] of inOrder.entries()) {
    while (ends[ended]! <= starts[i]!) ended++
    beside[i] = begun + 1 - ended
  }
  return beside
}

/**
 * The variation of services; and as logarithms, their mean, the mean and the p95 of stays, and how
 * much longer executions take that begin beside many than those that begin beside few.
 */
function traitsOf(columns: ReplayedStays, { few, many }: Groups): number[] {
  const taken = staysTaken(columns)
  const { waits, services } = taken
  const beside = besideOf(taken)
  const stays = services.map((service, i) => service + waits[i]!).sort()
  const mean = meanOf(services)
  const meanBy = (isCounted: (beside: number) => boolean): number => {
    const counted = services.filter((_, i) => isCounted(beside[i]!))
    return counted.length === 0 ? mean : meanOf(counted)
  }
  const ofMany = meanBy((each) => each >= many)
  const logs = [
    mean,
    meanOf(stays),
    stays[rankOf(stays.length, 0.95) - 1] ?? 0,
    meanBy((each) => each <= few) / ofMany,
    meanBy((each) => each > few && each < many) / ofMany,
  ].map((value) => Math.log(Math.max(Number.MIN_VALUE, value)))
  return [deviationOf(services) / mean, ...logs]
}

/** A model that is off by less, as a share, moves no capacity that anybody plans by. */
const RESOLUTION = 0.005

function logDensity(observed: readonly number[], replayed: readonly number[][]): number {
  const means = observed.map((_, i) => meanOf(replayed.map((traits) => traits[i]!)))
  const off = (traits: readonly number[]): number[] => traits.map((each, i) => each - means[i]!)
  const all = replayed.map(off)
  // The Cholesky factor of the covariance, row by row, and the deviation in its terms.
  const rows: number[][] = []
  const scaled: number[] = []
  let log = 0
  for (const [i, distance] of off(observed).entries()) {
    const row: number[] = []
    for (let j = 0; j <= i; j++) {
      const before = j < i ? rows[j]! : row
      const shared = row.reduce((sum, each, k) => sum + each * before[k]!, 0)
      const covariance = meanOf(all.map((each) => each[i]! * each[j]!))
      if (j < i) row.push((covariance - shared) / before[j]!)
      else row.push(Math.sqrt(covariance + RESOLUTION ** 2 - shared))
    }
    const rest = distance - row.slice(0, i).reduce((sum, each, k) => sum + each * scaled[k]!, 0)
    rows.push(row)
    scaled.push(rest / row[i]!)
    log -= Math.log(row[i]!) + scaled[i]! ** 2 / 2
  }
  return log
}
