/**
 * What a worker does of an execution without letting go of it: until the execution ends, or until a
 * person is asked.
 */
import type { Ask, Demand } from './demand.ts'

/** Times are milliseconds after the beginning of the stint. */
export interface Stint {
  lengthMs: number
  /** When each of its tasks completes, in order from `first`. */
  first: number
  taskEndsMs: readonly number[]
  /** The person who is asked at its end; null if the execution then ends. */
  until: Ask | null
}

/**
 * The stint that begins with task `first`; or, with `answered`, with the answer about that task,
 * which completes it at once. The last task of a stuck execution never completes, so nobody is
 * asked about it.
 */
export function stintOf(
  { fate, taskEndsMs, asks = [] }: Demand,
  first: number,
  answered = false,
): Stint {
  const base = answered ? taskEndsMs[first]! : (taskEndsMs[first - 1] ?? 0)
  const ends: number[] = []
  for (let task = first; task < taskEndsMs.length; task++) {
    const doneMs = taskEndsMs[task]! - base
    const isOver = answered && task === first
    const isStuck = fate === 'stuck' && task === taskEndsMs.length - 1
    const ask = isOver || isStuck ? undefined : asks.find((each) => each.task === task)
    if (ask !== undefined) return { lengthMs: doneMs, first, taskEndsMs: ends, until: ask }
    ends.push(doneMs)
  }
  return { lengthMs: ends.at(-1) ?? 0, first, taskEndsMs: ends, until: null }
}
