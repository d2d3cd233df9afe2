/**
 * Every family that is tried: what each strategy says of itself, and the families that are fitted
 * to the recorded ends.
 */
import { POLLING_WORDS } from '../../../../scenario/polling/schemas.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { PollingFamily } from './shape.ts'
import { hazard } from './hazard.ts'
import { shares } from './schedule.ts'
import { neat, notBefore } from '../../../../scenario/polling/definition.ts'

export type FamilyName = PollingPolicy['kind'] | 'initial-delay' | 'hazard'

/** The initial delays, as quantiles of the execution times. */
const DELAYS = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1]
/** Steps from 300 polls for an execution of mean length down to one. */
const STEPS = 27
const MOST_POLLS = 300

const initialDelay: PollingFamily = {
  words: 'initial delay, then fixed',
  learned: true,
  policies: ({ meanMicros, quantile }) =>
    DELAYS.flatMap((q) =>
      Array.from({ length: STEPS }, (_, step) => ({
        kind: 'fixed' as const,
        everyMicros: neat(meanMicros * MOST_POLLS ** (-step / (STEPS - 1))),
        initialDelayMicros: q === 1 ? notBefore(quantile(q)) : neat(quantile(q)),
      })),
    ),
}

/** `schedule` has no intervals of its own to try. */
export const FAMILIES: Readonly<Record<FamilyName, PollingFamily>> = {
  ...plainFamilies(),
  'initial-delay': initialDelay,
  schedule: shares,
  hazard,
}

export const FAMILY_NAMES = Object.keys(FAMILIES) as FamilyName[]

function plainFamilies(): Record<PollingPolicy['kind'], PollingFamily> {
  const families = Object.entries(POLLING_WORDS).map(
    ([kind, { tried }]): [string, PollingFamily] => [
      kind,
      { words: kind, learned: false, policies: tried ?? (() => []) },
    ],
  )
  return Object.fromEntries(families) as Record<PollingPolicy['kind'], PollingFamily>
}
