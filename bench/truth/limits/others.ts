/** Targets without a limiter that show some symptoms of one. */
import type { WorldOptions } from './world.ts'
import { World } from './world.ts'

type Failure = NonNullable<WorldOptions['failure']>

const NO_LIMITS = { limits: [], anchorUnixMs: 0, jitterMs: 30, serviceMs: () => 15 }

/** Each target from a seed. None may be reported as a limiter of another kind than those named. */
export const OTHERS: Readonly<Record<string, (seed: number) => World>> = {
  'slows down under load': (seed) =>
    new World({ ...NO_LIMITS, seed, serviceMs: (inFlight) => 15 + 12 * inFlight }),
  'answers 500 under load': (seed) =>
    new World({ ...NO_LIMITS, seed, serviceMs: () => 60, failure: failUnderLoad }),
  'answers 429 at random, 2 %': (seed) => new World({ ...NO_LIMITS, seed, failure: refuse(0.02) }),
  'answers 429 at random, 10 %': (seed) => new World({ ...NO_LIMITS, seed, failure: refuse(0.1) }),
  'answers 429 at random, 50 %': (seed) => new World({ ...NO_LIMITS, seed, failure: refuse(0.5) }),
}

const failUnderLoad: Failure = (inFlight, random) =>
  random.next() < (inFlight - 10) / 20 ? 500 : null

function refuse(share: number): Failure {
  return (_, random) => (random.next() < share ? 429 : null)
}
