/** What could be kept, where no strategy keeps what must hold: by the worst of each band. */
import type { Micros } from '../../../../base/units.ts'
import type { Subject } from '../replay/lives.ts'
import type { Estimated } from './estimate.ts'
import { crowdingOf, neededOf } from './traffic.ts'
import type { Wish } from './wish.ts'
import { delayOf, seesEnds } from './wish.ts'

export interface Nearest {
  /**
   * The least polls, in the window of the quota, with which the promise is kept where there is one;
   * null where no quota would help.
   */
  polls: number | null
  /** The least delay within the quota where there is one; null where no delay would help. */
  delayMicros: Micros | null
}

interface Asked {
  wish: Wish
  arrivalsPerSecond: number | null
}

export function nearestOf(
  all: readonly Estimated[],
  subjects: readonly Subject[],
  { wish: { quota, promise }, arrivalsPerSecond }: Asked,
): Nearest {
  const known = all
    .filter(({ high }) => seesEnds(high))
    .map(({ high, trace }) => ({
      delayMicros: promise === null ? 0 : delayOf(high, promise.statistic),
      polls:
        quota === null || arrivalsPerSecond === null
          ? 0
          : neededOf(quota, arrivalsPerSecond, {
              pollsMean: high.pollsMean,
              crowding: crowdingOf(trace, subjects, quota.perMicros),
            }),
    }))
  const prompt = known.filter(({ delayMicros }) => delayMicros < (promise?.boundMicros ?? Infinity))
  const sparing = known.filter(({ polls }) => polls <= (quota?.count ?? Infinity))
  return {
    polls: quota === null ? null : leastOf(prompt.map(({ polls }) => polls)),
    delayMicros: promise === null ? null : leastOf(sparing.map(({ delayMicros }) => delayMicros)),
  }
}

function leastOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values)
}
