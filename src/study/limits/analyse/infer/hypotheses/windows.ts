/** What windows of every sort share: which lengths the evidence suggests. */
import type { Clues } from './hypothesis.ts'

const SHORTEST_MS = 300
const LONGEST_MS = 400_000
/** Headers tell whole seconds. */
const ROUNDED_MS = 1_000

/** Times from an acceptance to a later re-admission, drawn within their uncertainty. */
export function lengthsToReadmissions({ groups, readmissions, random }: Clues): number[] {
  const lengths: number[] = []
  for (const { fromMs, toMs } of readmissions.slice(-8)) {
    for (const { accepted, firstMs } of groups.slice(-40)) {
      if (accepted === 0 || firstMs >= toMs) continue
      const from = Math.max(0, fromMs - firstMs)
      for (let i = 0; i < 2; i++) lengths.push(from + random.next() * (toMs - firstMs - from))
    }
  }
  return lengths.filter((ms) => ms >= SHORTEST_MS)
}

export function spreadLengths({ random }: Clues, count: number): number[] {
  const range = Math.log(LONGEST_MS / SHORTEST_MS)
  return Array.from({ length: count }, () => SHORTEST_MS * Math.exp(range * random.next()))
}

/** Window lengths that headers promise, within the half second by which they are rounded. */
export function promisedLengths({ promise, random }: Clues, each: number): number[] {
  if (promise === null) return []
  return promise.timesMs.flatMap((ms) =>
    Array.from({ length: each }, () =>
      Math.max(SHORTEST_MS, ms + (random.next() - 0.5) * ROUNDED_MS),
    ),
  )
}

/** Times at which a re-admission can have begun. */
export function boundaries({ readmissions, groups, random }: Clues, each: number): number[] {
  const told = groups.flatMap(({ restored }) => (restored === null ? [] : [restored]))
  return [...readmissions.slice(-8), ...told.slice(-8)].flatMap(({ fromMs, toMs }) =>
    Array.from({ length: each }, () => fromMs + random.next() * (toMs - fromMs)),
  )
}

export function sample<T>({ random }: Clues, list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  return Array.from({ length: most }, () => random.pick(list))
}

/** `ms` modulo `windowMs`, from 0. */
export function phaseOf(ms: number, windowMs: number): number {
  return ((ms % windowMs) + windowMs) % windowMs
}
