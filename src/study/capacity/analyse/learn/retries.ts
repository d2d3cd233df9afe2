/** Learns how long clients wait before they retry a kickoff that was turned away. */
import type { Retries } from '../model/system.ts'
import type { Seen } from './seen.ts'

/** Null if nobody retries, or no retry was observed. `most`: the most attempts after the first. */
export function retriesOf(executions: readonly Seen[], most: number): Retries | null {
  const gaps: number[][] = []
  for (const { refusals, accepted } of executions) {
    const times = refusals.map(({ at }) => at).toSorted((a, b) => a - b)
    if (accepted !== null) times.push(accepted)
    times.slice(1).forEach((at, i) => {
      gaps[i] ??= []
      gaps[i].push(at - times[i]!)
    })
  }
  const told = gaps.slice(0, most).map((each) => Float64Array.from(each).sort())
  return told.length === 0 ? null : { most, gaps: told }
}
