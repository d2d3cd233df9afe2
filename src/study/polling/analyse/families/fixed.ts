/** The same interval always. */
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Family } from './family.ts'
import { geometric, notBefore } from './grid.ts'
import type { Shape } from './shape.ts'

export const fixed: Family = {
  words: 'fixed',
  learned: false,
  policies: (shape) => [...intervalsOf(shape), ...anchored(shape)].map(fixedPolicy),
}

function fixedPolicy(everyMicros: Micros): PollingPolicy {
  return { kind: 'fixed', everyMicros, initialDelayMicros: everyMicros }
}

/** From 300 polls for an execution of mean length to one. */
function intervalsOf({ meanMicros, quantile }: Shape): Micros[] {
  return geometric(meanMicros / 300, Math.max(meanMicros, quantile(0.99)), 1.12)
}

const MOST_POLLS = 6

/** Those by which the poll of a number comes just after the longest execution. */
function anchored({ quantile, requestMicros }: Shape): Micros[] {
  return Array.from({ length: MOST_POLLS }, (_, before) =>
    notBefore((quantile(1) - before * requestMicros) / (before + 1)),
  )
}
