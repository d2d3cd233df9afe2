/** Starts that nothing tells, from ends alone. */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import {
  startsByEnds,
  workerNumbers,
  workersByEnds,
} from '../../../src/result/inferred-workers/by-ends.ts'
import type { ObservedStay } from '../../../src/result/inferred-workers/observed-stay.ts'
import { areExperimentsRun } from '../../experiments.ts'

const SECOND = 1_000_000

function stayed(accepted: number, low: number, high = low): ObservedStay {
  return { accepted, ended: { low, high }, outcome: 'completed' }
}

const startsOf = (run: readonly ObservedStay[], workers: number): number[] =>
  startsByEnds(run, workers).map(({ low }) => low)

test('an execution begins at an end of one that was accepted before it', () => {
  // The last ends first: with two workers the third waits for the first, not for the last.
  const run = [stayed(0, 10), stayed(0, 20), stayed(5, 30), stayed(6, 8)]
  expect(startsOf(run, 2)).toEqual([0, 0, 10, 20])
  expect(startsOf(run, 4)).toEqual([0, 0, 5, 6])
})

test('a start is known as well as the end that makes room for it', () => {
  const run = [stayed(0, 10, 14), stayed(0, 30, 34)]
  expect(startsByEnds(run, 1)).toEqual([
    { low: 0, high: 0 },
    { low: 10, high: 14 },
  ])
})

test('what was not seen to end keeps its worker', () => {
  const run = [stayed(0, 10, Infinity), stayed(1, 5), stayed(2, 9)]
  expect(startsOf(run, 2)).toEqual([0, 1, 5])
  expect(startsOf(run, 1)).toEqual([0, Infinity, Infinity])
})

test('the number that makes service times alike is the number of workers', () => {
  // Every 10 s one comes to three workers of 29 to 30 s each: from the fourth on all wait a bit.
  const free = [0, 0, 0]
  const run = Array.from({ length: 60 }, (_, i) => {
    const accepted = i * 9
    const worker = free.indexOf(Math.min(...free))
    const start = Math.max(accepted, free[worker]!)
    free[worker] = start + 29 + (i % 7) / 6
    return stayed(accepted, free[worker])
  })
  expect(workersByEnds([run], 20)).toEqual({ value: 3, low: 3, high: 3 })
})

test('polls at one interval do not look like a rhythm of the crew', () => {
  const random = createRandom(7)
  const free = [0, 0, 0, 0]
  let at = 0
  const run = Array.from({ length: 1_700 }, () => {
    at += (60 / 4 / 0.875) * random.exponential()
    const worker = free.indexOf(Math.min(...free))
    const service = 15 * [1, 2, 3, 4].reduce((sum) => sum + random.exponential(), 0)
    free[worker] = Math.max(at, free[worker]!) + service
    const polls = Math.ceil((free[worker] - at) / 5)
    return stayed(at * SECOND, (at + 5 * (polls - 1)) * SECOND, (at + 5 * polls) * SECOND)
  })
  const { low, value, high } = workersByEnds([run], 30)!
  expect([low <= 4, value, high! >= 4]).toEqual([true, 4, true])
})

test('without a wait there may be any number of workers from those that were needed on', () => {
  const random = createRandom(3)
  let at = 0
  const run = Array.from({ length: 200 }, () => {
    at += 20 * random.exponential()
    return stayed(at, at + 30 * Math.exp(0.3 * random.normal()))
  })
  expect(workersByEnds([run], 6)).toMatchObject({ high: null })
  expect(workersByEnds([run.slice(0, 19)], 6)).toBeNull()
})

test('numbers to try are apart by one, and by a hundredth from 100 on', () => {
  expect(workerNumbers(4)).toEqual([1, 2, 3, 4])
  const many = workerNumbers(1_000)
  expect([many.at(-1), many.includes(100), many.length < 400]).toEqual([1_000, true, true])
})

/** `workers` of a minute in the mean, at a load of 1.05, seen every 15 s. */
function seenBySeldomPolls(
  workers: number,
  seed: number,
  service: (r: Random) => number,
): ObservedStay[] {
  const random = createRandom(seed)
  const free = Array.from({ length: workers }, () => 0)
  let at = 0
  return Array.from({ length: 300 }, () => {
    at += (60 / workers / 1.05) * random.exponential()
    const worker = free.indexOf(Math.min(...free))
    free[worker] = Math.max(at, free[worker]!) + service(random)
    const polls = Math.ceil((free[worker] - at) / 15)
    return stayed(at * SECOND, (at + 15 * (polls - 1)) * SECOND, (at + 15 * polls) * SECOND)
  })
}

const NUMBERS = areExperimentsRun ? [3, 8, 17] : [3]

describe('polls that are far apart', () => {
  const SHAPES: [string, (random: Random) => number][] = [
    ['constant', () => 60],
    ['uniform', (random) => 30 + 60 * random.next()],
    ['exponential', (random) => 60 * random.exponential()],
  ]

  test.each(SHAPES)(
    'count workers of %s times, and rule no other number in far from it',
    (_, service) => {
      for (const [i, workers] of NUMBERS.entries()) {
        const run = seenBySeldomPolls(workers, 70 + i, service)
        const { low, value, high } = workersByEnds([run], 60)!
        expect([low <= workers, workers <= high!, Math.abs(value - workers) <= 1]).toEqual([
          true,
          true,
          true,
        ])
        expect(high! - low).toBeLessThanOrEqual(workers / 3)
      }
    },
  )
})
