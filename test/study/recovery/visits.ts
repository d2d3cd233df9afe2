/**
 * Trials of a recovery test, made up: one execution a quarter of a second, a trigger from 120 s to
 * 150 s, observed to 450 s.
 */
import type { TrialFacts, ArrivalSeen } from '../../../src/study/recovery/analyse/trial.ts'

export const SECOND = 1_000_000
export const SPAN = {
  steadyFromMicros: 0,
  steadyToMicros: 100 * SECOND,
  fromMicros: 120 * SECOND,
  toMicros: 150 * SECOND,
  untilMicros: 450 * SECOND,
}

/**
 * Nobody is served from the trigger until `backSecond`; each takes 10 s, and `attempts` kickoffs a
 * second apart meanwhile.
 */
export function visitsBackAt(backSecond: number, attempts = 3): ArrivalSeen[] {
  return Array.from({ length: 4 * 450 }, (_, i) => {
    const intendedMicros = (i / 4) * SECOND
    const down = intendedMicros >= SPAN.fromMicros && intendedMicros < backSecond * SECOND
    const kickoffs = down ? attempts : 1
    return {
      intendedMicros,
      endedMicros: intendedMicros + 10 * SECOND,
      attemptsMicros: Array.from({ length: kickoffs }, (_each, n) => intendedMicros + n * SECOND),
      served: !down,
      dropped: false,
    }
  })
}

export function trialFacts(
  visits: readonly ArrivalSeen[],
  more: Partial<TrialFacts> = {},
): TrialFacts {
  return {
    seed: 1,
    run: { visits, starts: null },
    control: null,
    span: SPAN,
    stepMicros: SECOND / 4,
    withinMicros: 120 * SECOND,
    ...more,
  }
}
