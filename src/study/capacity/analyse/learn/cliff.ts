/**
 * A cliff: from some number of executions on, the crew finishes less the more of them it has. It is
 * found from an estimate of the executions completed per hour for each number in the crew, by the
 * service times and failures of those that began beside that number.
 */
import { inCrewOf } from '../seen.ts'
import type { LoadFacts } from '../seen.ts'
import { meanOf } from '../../../../result/statistics/moments.ts'
import { Z98 } from '../model/interval.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'
import type { Learned } from './learn.ts'
import { groupedBy } from '../../../../base/collections/counts.ts'

interface Side {
  /** The executions that would complete in an hour. */
  perHour: number
  /** The upper end of its 98 % interval. */
  high: number
  serviceMicros: number
  completedShare: number
}

export interface Cliff {
  /** The largest number in the crew, waiting or running, at which throughput is still high. */
  holds: number
  /** The smallest number at which throughput has fallen. */
  breaks: number
  before: Side
  after: Side
}

/** Executions that began beside about the same number of others. */
interface Level extends Side {
  least: number
  most: number
  /** The squared standard error of the logarithm of the rate. */
  variance: number
}

/** Null if throughput does not surely fall, or if starts had to be inferred. */
export function cliffOf({ loads, hidden, slotsSeen }: Learned): Cliff | null {
  if (hidden !== null) return null
  const begun = loads.flatMap((load) => begunIn(load, slotsSeen))
  const levels = levelsOf(begun, slotsSeen)
  const [best] = levels.toSorted((a, b) => b.perHour - a.perHour)
  if (best === undefined) return null
  const above = levels.slice(levels.indexOf(best) + 1)
  const bad = above.findIndex((level) => isSurelyLess(level, best))
  const after = above[bad]
  if (after === undefined) return null
  // A level between the two belongs to the side whose rate is nearer to its own.
  const middle = Math.sqrt(best.perHour * Math.max(after.perHour, LEAST * best.perHour))
  const good = above.slice(0, bad).findLast(({ perHour }) => perHour >= middle)
  return { holds: (good ?? best).most, breaks: after.least, before: best, after }
}

/** A throughput that keeps a larger share than this is not called a cliff. */
const FALL = 0.8
/** A fall of this many standard errors is not due to chance. */
const SURELY = 4
/** The fewest executions of a level. */
const FEWEST = 8
/** A lower share of the best rate is raised to this one, so that its logarithm is finite. */
const LEAST = 1e-3

function isSurelyLess(level: Level, best: Level): boolean {
  const fall = Math.log(best.perHour / Math.max(level.perHour, LEAST * best.perHour))
  const error = Math.sqrt(level.variance + best.variance)
  return level.perHour < FALL * best.perHour && fall > SURELY * error
}

interface BegunInCrew {
  inCrew: number
  micros: number
  isCompleted: boolean
}

/**
 * The executions of closed loads: only these put as many executions on the crew as intended. As
 * many as there are workers are left out of those that began last in a full crew: it empties while
 * they run, and so they would tell a higher throughput.
 */
function begunIn({ seen, ran }: LoadFacts, slots: number): BegunInCrew[] {
  if (seen.load.kind !== 'closed') return []
  const inCrew = inCrewOf(ran)
  return ran
    .toSorted((a, b) => a.started - b.started)
    .map(({ started, ended, outcome }) => ({
      inCrew: Math.max(1, inCrew.at(started)),
      micros: Math.max(1, ended - started),
      isCompleted: outcome === 'completed',
    }))
    .filter(({ inCrew: number }, i) => number < slots || i < ran.length - slots)
}

/** Groups executions by the number in the crew, two groups to each doubling, in rising order. */
function levelsOf(begun: readonly BegunInCrew[], slots: number): Level[] {
  const sized = groupedBy(begun, ({ inCrew }) => Math.floor(2 * Math.log2(inCrew)))
    .filter(([, { length }]) => length >= FEWEST)
    .toSorted(([one], [other]) => one - other)
    .map(([, group]) => group)
  // A few executions may be alike by chance, so the variance of all levels together is used for
  // each.
  const squares = sized.flatMap((group) => {
    const mean = meanOf(group.map(({ micros }) => micros))
    return group.map(({ micros }) => (micros / mean - 1) ** 2)
  })
  const varied = squares.length === 0 ? 0 : meanOf(squares)
  return sized.map((group) => levelOf(group, slots, varied))
}

function levelOf(group: readonly BegunInCrew[], slots: number, varied: number): Level {
  const n = group.length
  const completed = group.filter(({ isCompleted }) => isCompleted).length
  const completedShare = completed / n
  const likely = (completed + 0.5) / (n + 1)
  const serviceMicros = meanOf(group.map(({ micros }) => micros))
  const counts = group.map(({ inCrew }) => inCrew)
  // Counts the workers as busy as the number in the crew allows: what else keeps them idle is not a
  // cliff of the workers.
  const busy = meanOf(counts.map((count) => Math.min(slots, count)))
  const perHour = (busy * completedShare * MICROS_PER_HOUR) / serviceMicros
  const variance = (varied + (1 - likely) / likely) / n
  return {
    least: Math.min(...counts),
    most: Math.max(...counts),
    perHour,
    high: perHour * Math.exp(Z98 * Math.sqrt(variance)),
    serviceMicros,
    completedShare,
    variance,
  }
}
