/**
 * Learns how often executions fail, in which task and with which message, and how often they never
 * end.
 */
import { shareInterval } from '../../../../result/statistics/shares.ts'
import type { SeenRun } from '../seen.ts'
import { takenOf } from './taken.ts'

export interface Failures {
  /** The executions that reached each task, and how many of them failed in it. */
  tasks: readonly {
    failed: number
    reached: number
    low: number
    high: number
    /** The messages, most frequent first. */
    messages: readonly { message: string; count: number }[]
  }[]
  /** The executions that never ended, among those whose end is known or known to be missing. */
  stuck: { count: number; of: number; low: number; high: number }
}

export function learnFailures(runs: readonly SeenRun[], tasks: number): Failures {
  const taken = runs.flatMap(takenOf)
  const fates = taken.filter(
    ({ outcome, isStuck }) => isStuck || outcome === 'completed' || outcome === 'failed',
  )
  const failed = fates.filter(({ outcome }) => outcome === 'failed')
  const usual = usualTask(failed)
  const placed = failed.map(({ failedIn, error }) => ({
    message: error ?? '',
    place: Math.min(tasks - 1, usual.get(error ?? '') ?? failedIn ?? tasks - 1),
  }))
  const stuck = fates.filter(({ isStuck }) => isStuck).length
  return {
    tasks: Array.from({ length: tasks }, (_, place) => {
      const here = placed.filter((each) => each.place === place)
      const before = placed.filter((each) => each.place < place).length
      const reached = fates.length - before
      const { low, high } = shareInterval(here.length, Math.max(1, reached)) ?? ANY
      return { failed: here.length, reached, low, high, messages: counted(here) }
    }),
    stuck: {
      count: stuck,
      of: fates.length,
      ...(shareInterval(stuck, Math.max(1, fates.length)) ?? ANY),
    },
  }
}

const ANY = { low: 0, high: 1 }

/**
 * Maps each failure message to the task in which it was seen most often. Polls name a task that is
 * too early if others were completed just before the failure; if each task has its own message, the
 * message corrects that. Empty if messages do not tell tasks apart.
 */
function usualTask(
  failed: readonly { failedIn: number | null; error: string | null }[],
): Map<string, number> {
  const places = new Set(failed.map(({ failedIn }) => failedIn))
  const words = new Set(failed.map(({ error }) => error))
  if (words.size < places.size) return new Map()
  return new Map(
    [...words].flatMap((error): [string, number][] => {
      const seen = failed.filter((each) => each.error === error)
      const usual = commonest(seen.flatMap(({ failedIn }) => failedIn ?? []))
      return error === null || usual === null ? [] : [[error, usual]]
    }),
  )
}

function commonest(values: readonly number[]): number | null {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a)
  return first?.[0] ?? null
}

function counted(failed: readonly { message: string }[]): { message: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { message } of failed) counts.set(message, (counts.get(message) ?? 0) + 1)
  return [...counts]
    .map(([message, count]) => ({ message, count }))
    .toSorted((a, b) => b.count - a.count)
}
