/** Polling policies: each interval by its definition, within its bounds. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { JITTER_FLOOR_MICROS } from '../../src/scenario/backoff.ts'
import type { Jitter } from '../../src/scenario/backoff.ts'
import type { PollingPolicy } from '../../src/scenario/polling/index.ts'
import { nextIntervalMicros, writtenPolling } from '../../src/scenario/polling/index.ts'
import { leastIntervalMicros } from './polling-bounds.ts'
import { polling } from '../../src/scenario/schema/scenario.ts'

const SECOND = 1_000_000

test.each<PollingPolicy>([
  { kind: 'fixed', everyMicros: 5_000_000, initialDelayMicros: 5_000_000 },
  { kind: 'fixed', everyMicros: 431_000, initialDelayMicros: 23_974_000 },
  { kind: 'schedule', intervalsMicros: [1_500, 2_000_000, 4_310_000] },
  {
    kind: 'exponential',
    initialMicros: 2_000_000,
    factor: 1.5,
    maxMicros: 90_000_000,
    jitter: 'full',
  },
  { kind: 'progress', minMicros: 1_000, maxMicros: 10_000_000, pollsPerTask: 0.5 },
])('what is written of %j is read as the same', (policy) => {
  expect(polling.parse(writtenPolling(policy))).toEqual(policy)
})

describe('intervals', () => {
  test('fixed: the initial delay, then the same', () => {
    const policy: PollingPolicy = { kind: 'fixed', everyMicros: 5, initialDelayMicros: 3 }
    expect(intervals(policy, 4)).toEqual([3, 5, 5, 5])
  })

  test('schedule: the list, then its last entry', () => {
    const policy: PollingPolicy = { kind: 'schedule', intervalsMicros: [1, 2, 4] }
    expect(intervals(policy, 5)).toEqual([1, 2, 4, 4, 4])
  })

  test('exponential without jitter: initial * factor^n up to the maximum', () => {
    expect(intervals(exponential('none'), 6)).toEqual([2, 3, 4.5, 6.75, 10.125, 15].map(seconds))
  })

  test('exponential for ever stays at the maximum', () => {
    const pace = { intervals: 1e6, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
    expect(nextIntervalMicros(exponential('none'), pace, createRandom(1))).toBe(15 * SECOND)
  })

  test.each([
    ['full', 0, 1, 0.5],
    ['equal', 0.5, 1, 0.75],
  ] as const)('%s jitter: uniform between its shares of the base', (jitter, low, high, mean) => {
    const drawn = draws(exponential(jitter))
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(low * 2 * SECOND)
    expect(Math.min(...drawn)).toBeLessThan((low + 0.01) * 2 * SECOND)
    expect(Math.max(...drawn)).toBeLessThanOrEqual(high * 2 * SECOND)
    expect(average(drawn) / (2 * SECOND)).toBeCloseTo(mean, 1)
  })

  test('decorrelated jitter: between the initial interval and three times the one before', () => {
    const random = createRandom(5)
    let previousMicros = 0
    for (let n = 0; n < 500; n++) {
      const pace = { intervals: n, previousMicros, elapsedMicros: 0, completedTasks: null }
      const ceiling = Math.min(15 * SECOND, 3 * Math.max(2 * SECOND, previousMicros))
      previousMicros = nextIntervalMicros(exponential('decorrelated'), pace, random)
      expect(previousMicros).toBeGreaterThanOrEqual(2 * SECOND)
      expect(previousMicros).toBeLessThanOrEqual(ceiling)
    }
  })

  test('progress: the mean time of a task over the polls a task', () => {
    const policy: PollingPolicy = {
      kind: 'progress',
      minMicros: 1,
      maxMicros: 1e12,
      pollsPerTask: 4,
    }
    const after = (elapsed: number, completedTasks: number | null) =>
      nextIntervalMicros(
        policy,
        { intervals: 3, previousMicros: 7, elapsedMicros: elapsed * SECOND, completedTasks },
        createRandom(1),
      )
    expect(after(60, 3)).toBe(5 * SECOND)
    expect(after(60, 0)).toBe(15 * SECOND)
    expect(after(60, null)).toBe(15 * SECOND)
    expect(after(0, 0)).toBe(1)
  })
})

const micros = fc.integer({ min: 1, max: 3_600 * SECOND })
const policies: fc.Arbitrary<PollingPolicy> = fc.oneof(
  fc.record({
    kind: fc.constant('fixed' as const),
    everyMicros: micros,
    initialDelayMicros: micros,
  }),
  fc
    .record({
      initialMicros: micros,
      more: fc.nat(3_600 * SECOND),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
      jitter: fc.constantFrom<Jitter[]>('none', 'full', 'equal', 'decorrelated'),
    })
    .map(({ initialMicros, more, factor, jitter }) => {
      const maxMicros = initialMicros + more
      return { kind: 'exponential' as const, initialMicros, factor, maxMicros, jitter }
    }),
  fc.record({
    kind: fc.constant('schedule' as const),
    intervalsMicros: fc.array(micros, { minLength: 1 }),
  }),
  fc
    .record({
      minMicros: micros,
      more: fc.nat(SECOND),
      pollsPerTask: fc.double({ min: 0.1, max: 1_000, noNaN: true }),
    })
    .map(({ minMicros, more, pollsPerTask }) => {
      return { kind: 'progress' as const, minMicros, maxMicros: minMicros + more, pollsPerTask }
    }),
)

test('no interval is outside the bounds of its policy, and each is a whole number', () => {
  const paces = fc.record({
    intervals: fc.nat(5_000),
    previousMicros: fc.nat(3_600 * SECOND),
    elapsedMicros: fc.nat(86_400 * SECOND),
    completedTasks: fc.option(fc.nat(100)),
  })
  fc.assert(
    fc.property(policies, paces, fc.nat(), (policy, pace, seed) => {
      const interval = nextIntervalMicros(policy, pace, createRandom(seed))
      expect(Number.isSafeInteger(interval)).toBe(true)
      expect(interval).toBeGreaterThanOrEqual(leastIntervalMicros(policy))
      expect(interval).toBeLessThanOrEqual(maximumOf(policy))
    }),
    { seed: 13, numRuns: 2_000 },
  )
})

test('full jitter has a floor, so that a drawn zero does not hammer the target', () => {
  const pace = { intervals: 0, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
  const random = { ...createRandom(1), next: () => 1e-12 }
  expect(nextIntervalMicros(exponential('full'), pace, random)).toBe(JITTER_FLOOR_MICROS)
})

function exponential(jitter: Jitter): PollingPolicy {
  const [initialMicros, maxMicros] = [2 * SECOND, 15 * SECOND]
  return { kind: 'exponential', initialMicros, factor: 1.5, maxMicros, jitter }
}

function intervals(policy: PollingPolicy, count: number): number[] {
  const random = createRandom(1)
  return Array.from({ length: count }, (_, n) => {
    const pace = { intervals: n, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
    return nextIntervalMicros(policy, pace, random)
  })
}

/** First intervals of as many executions. */
function draws(policy: PollingPolicy): number[] {
  const random = createRandom(3)
  const pace = { intervals: 0, previousMicros: 0, elapsedMicros: 0, completedTasks: null }
  return Array.from({ length: 2_000 }, () => nextIntervalMicros(policy, pace, random))
}

function maximumOf(policy: PollingPolicy): number {
  switch (policy.kind) {
    case 'fixed':
      return Math.max(policy.everyMicros, policy.initialDelayMicros)
    case 'schedule':
      return Math.max(...policy.intervalsMicros)
    case 'exponential':
    case 'progress':
      return policy.maxMicros
    default:
      throw new Error('unknown policy')
  }
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function seconds(value: number): number {
  return value * SECOND
}
