/** Longer and longer intervals, with each kind of jitter. */
import type { Jitter } from '../../../../scenario/plan.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { Family } from './family.ts'
import { geometric, neat } from './grid.ts'

const FACTORS = [1.25, 1.5, 2]
/** Of the first interval. */
const LONGEST = [4, 16, 64]
const JITTERS: readonly Jitter[] = ['none', 'equal', 'full', 'decorrelated']

export const exponential: Family = {
  words: 'exponential',
  learned: false,
  policies: ({ meanMicros }) =>
    geometric(meanMicros / 100, meanMicros / 2, 1.8).flatMap((initialMicros) =>
      LONGEST.flatMap((times) =>
        JITTERS.flatMap((jitter) =>
          // Decorrelated jitter grows by itself.
          (jitter === 'decorrelated' ? FACTORS.slice(1, 2) : FACTORS).map(
            (factor): PollingPolicy => ({
              kind: 'exponential',
              initialMicros,
              factor,
              maxMicros: neat(initialMicros * times),
              jitter,
            }),
          ),
        ),
      ),
    ),
}
