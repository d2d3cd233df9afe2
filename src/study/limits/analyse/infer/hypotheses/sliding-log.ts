/** Sliding log: `limit` requests in any stretch of `windowMs`, exactly. */
import { lengthSeeds, withLimits } from './fixed-window.ts'
import type { Hypothesis, Model, Parameters } from './hypothesis.ts'
import { modelOf } from './hypothesis.ts'

/** From the oldest to the newest: at `times[i]` came `counts[i]`. */
interface LogState {
  times: number[]
  counts: number[]
}

export function slidingLogModel(
  { limit, windowMs }: Parameters,
  countsRefused: boolean,
): Model<LogState> {
  return modelOf<LogState>({
    memoryMs: windowMs,
    raises: countsRefused,
    fresh: () => ({ times: [], counts: [] }),
    copy: ({ times, counts }) => ({ times: [...times], counts: [...counts] }),
    timeOf: ({ times, counts }, k, { firstMs }) => {
      if (k > limit) return firstMs + windowMs
      let newer = 0
      for (let i = times.length - 1; i >= 0; i--) {
        newer += counts[i]!
        if (newer > limit - k) return times[i]! + windowMs
      }
      return -Infinity
    },
    advance: (state, { firstMs, accepted, lastAcceptedMs, lastRefusedMs }, refused) => {
      if (accepted > 0) put(state, (firstMs + lastAcceptedMs) / 2, accepted)
      if (countsRefused && refused > 0) put(state, lastRefusedMs, refused)
    },
    used: ({ times, counts }, firstMs) => {
      let used = 0
      for (let i = times.length - 1; i >= 0 && times[i]! + windowMs > firstMs; i--) {
        used += counts[i]!
      }
      return used
    },
  })
}

function put({ times, counts }: LogState, ms: number, count: number): void {
  times.push(Math.max(ms, times.at(-1) ?? -Infinity))
  counts.push(count)
}

function slidingLog(countsRefused: boolean): Hypothesis {
  return {
    name: countsRefused ? 'sliding log, refused count' : 'sliding log',
    kind: 'sliding-log',
    aligned: null,
    countsRefused,
    prior: countsRefused ? -0.7 : 0,
    has: ['limit', 'windowMs'],
    model: (parameters) => slidingLogModel(parameters, countsRefused),
    seeds: (clues, most) => withLimits(clues, lengthSeeds(clues), most),
  }
}

export const slidingLogs = [slidingLog(false), slidingLog(true)]
