/**
 * Every family that is tried: what each strategy says of itself, and the families that are fitted
 * to the recorded ends.
 */
import { POLLING_WORDS } from '../../../../scenario/polling/schemas.ts'
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { PollingFamily } from './family.ts'
import { hazard } from './hazard.ts'
import { initialDelay } from './initial-delay.ts'
import { shares } from './shares.ts'

export type FamilyName = PollingPolicy['kind'] | 'initial-delay' | 'hazard'

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
