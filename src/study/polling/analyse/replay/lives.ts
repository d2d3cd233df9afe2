/**
 * From recorded executions to what is replayed: each with a weight and one or several lives, by how
 * well its end is known and how many executions there are.
 */
import { firstAtLeast } from '../../../../result/statistics/rising.ts'
import type { Micros } from '../../../../base/units.ts'
import type { PastExecution, Recording } from './recording.ts'
import type { Life } from './replay.ts'

/** A recorded execution, with all the ways in which it may have gone. */
export interface Subject {
  /** Its share of the sum of all, with what the censored handed on. */
  weight: number
  /** Equally likely. */
  lives: readonly Life[]
}

/** So many lives at least, where few executions were recorded: enough to tell a 95th percentile. */
const FEWEST_LIVES = 400

/** Multiples of it, less their whole part, are spread evenly however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * In order of acceptance; weights sum to 1. None where nothing was seen to end. `isHeard`: the
 * client listens for pushes too.
 */
export function subjectsOf(
  { executions }: Pick<Recording, 'executions'>,
  isHeard = false,
): Subject[] {
  const ordered = executions.toSorted((a, b) => a.acceptedMicros - b.acceptedMicros)
  if (!ordered.some(({ fate }) => fate === 'ended')) return []
  const weights = weightsOf(ordered)
  const counted = ordered.map((past, i) => ({ past, weight: weights[i]! }))
  const kept = counted.filter(({ weight }) => weight > 0)
  const each = Math.max(1, Math.ceil(FEWEST_LIVES / kept.length))
  const widths = widthsOf(
    kept.map(({ past }) => past),
    each > 1,
  )
  return kept.map(({ past, weight }, i) => {
    const offset = ((i + 1) * GOLDEN) % 1
    const lives = livesOf(past, { widthMicros: widths[i]!, each, offset })
    return { weight, lives: isHeard ? pushed(lives, past) : lives }
  })
}

/**
 * Who was watched in vain hands his weight on to those who took longer, in equal parts: that is
 * Kaplan and Meier's estimate (Efron, "The two sample problem with censored data", 1967). The
 * longest of all counts as ended when he was last seen.
 */
function weightsOf(executions: readonly PastExecution[]): number[] {
  const byLength = executions
    .map((past, at) => ({ past, at, lengthMicros: lengthOf(past) }))
    .toSorted((a, b) => a.lengthMicros - b.lengthMicros)
  const weights = executions.map(() => 0)
  let each = 1 / executions.length
  byLength.forEach(({ past, at }, i) => {
    const longer = byLength.length - i - 1
    if (past.fate === 'censored' && longer > 0) each += each / longer
    else weights[at] = each
  })
  return weights
}

/**
 * Share of the executions that took longer than any whose end was seen, with no deadline that cut
 * them: what those who were watched in vain handed on beyond the last end.
 */
export function unwatchedShareOf({ executions }: Pick<Recording, 'executions'>): number {
  const weights = weightsOf(executions)
  let share = 0
  executions.forEach(({ fate }, i) => {
    if (fate !== 'ended') share += weights[i]!
    if (fate === 'never') share -= 1 / executions.length
  })
  return Math.max(0, share)
}

/** Of an end between two polls, their middle. */
export function lengthOf({ fate, afterMicros, byMicros }: PastExecution): Micros {
  switch (fate) {
    case 'never':
      return Infinity
    case 'ended':
      return (afterMicros + byMicros) / 2
    default:
      return afterMicros
  }
}

/**
 * How far an end may lie from where it was seen: between the polls that enclose it, or, where it is
 * known and executions are few (`isSmooth`), as far as the neighbours in length stand: what another
 * execution of the same kind could have taken.
 */
function widthsOf(executions: readonly PastExecution[], isSmooth: boolean): Micros[] {
  const ends = executions
    .filter(({ fate }) => fate === 'ended')
    .map(lengthOf)
    .toSorted((a, b) => a - b)
  const reach = Math.max(1, Math.round(Math.sqrt(ends.length) / 2))
  return executions.map((past) => {
    if (past.fate !== 'ended') return 0
    const { afterMicros, byMicros, deadlineMicros } = past
    const known = byMicros - afterMicros
    if (!isSmooth) return known
    // Of the same kind is what ends before the deadline too.
    const room = 2 * Math.max(0, deadlineMicros - lengthOf(past))
    return Math.max(known, Math.min(room, 2 * spacing(ends, lengthOf(past), reach)))
  })
}

/** Distance to the `reach`-th nearest of the sorted values, the value itself left out. */
function spacing(sorted: readonly number[], value: number, reach: number): number {
  let low = firstAtLeast(sorted, value)
  let high = low + 1
  let distance = 0
  for (let taken = 0; taken < reach; taken++) {
    const below = low > 0 ? value - sorted[low - 1]! : Infinity
    const above = high < sorted.length ? sorted[high]! - value : Infinity
    const nearest = Math.min(below, above)
    if (nearest === Infinity) break
    distance = nearest
    if (below <= above) low--
    else high++
  }
  return distance
}

interface LifeSpread {
  widthMicros: Micros
  /** Lives. */
  each: number
  /** Where in its part of the width each lies, 0 to 1. */
  offset: number
}

function livesOf(past: PastExecution, { widthMicros, each, offset }: LifeSpread): Life[] {
  const { fate, deadlineMicros, completionsMicros } = past
  if (fate === 'never') return [{ endMicros: Infinity, deadlineMicros, completionsMicros }]
  const middle = lengthOf(past)
  return Array.from({ length: each }, (_, i) => {
    const endMicros = Math.max(1, middle + ((i + offset) / each - 0.5) * widthMicros)
    const stretch = endMicros / middle
    return {
      endMicros,
      deadlineMicros,
      completionsMicros: completionsMicros?.map((at) => at * stretch) ?? null,
    }
  })
}

function pushed(
  lives: readonly Life[],
  { pushedMicros, byMicros }: PastExecution,
): readonly Life[] {
  if (pushedMicros === undefined) return lives
  const delayMicros = Math.max(0, pushedMicros - byMicros)
  return lives.map((life) => {
    return Object.assign({ pushedMicros: life.endMicros + delayMicros }, life)
  })
}

/** What takes `factor` times as long, under the same deadline. */
export function slower(subjects: readonly Subject[], factor: number): Subject[] {
  return subjects.map(({ weight, lives }) => ({
    weight,
    lives: lives.map((life) => ({
      ...life,
      endMicros: life.endMicros * factor,
      completionsMicros: life.completionsMicros?.map((at) => at * factor) ?? null,
    })),
  }))
}
