/** Why a limit is not named, or not without reserve. */
import { expect, test } from 'vitest'
import { loosenessOf, mostAtOnce } from '../../../../../src/study/limits/analyse/infer/caveats.ts'
import { UNKNOWN } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import type { LimiterAnswer } from '../../../../../src/study/limits/analyse/infer/interface.ts'

type Request = readonly [sentMs: number, receivedMs: number, answer: LimiterAnswer['answer']]

const TWO: readonly Request[] = [
  [0, 100, 'accepted'],
  [0, 100, 'accepted'],
]
const NINE = Array.from({ length: 9 }, (): Request => [50, 150, 'refused'])
const LATE: readonly Request[] = [
  [95, 195, 'accepted'],
  [102, 202, 'refused'],
]

test.each<[string, readonly Request[], number | null]>([
  ['each refused request met the two', [...TWO, [0, 100, 'refused'], [50, 150, 'refused']], 2],
  ['one was refused when nothing was in flight', [...TWO, ...NINE, [100, 110, 'refused']], null],
  ['some met only one', [...TWO, NINE[0]!, [200, 300, 'accepted'], [250, 350, 'refused']], null],
  ['one of ten may have arrived after the answer left', [...TWO, ...NINE, ...LATE], 2],
  ['one of nine may not', [...TWO, ...NINE.slice(1), ...LATE], null],
  ['nothing was refused', TWO, null],
])('two were in flight at once, and %s: a limit of %j', (_, requests, limit) => {
  const evidence = requests.map(([sentMs, receivedMs, answer]) => {
    return { sentMs, receivedMs, answer, status: answer === 'accepted' ? 200 : 429, headers: {} }
  })
  expect(mostAtOnce(evidence)).toBe(limit)
})

test('a rate or a window that is not known within a quarter of it is no answer', () => {
  const ratePerSecond = { value: 50, low: 43, high: 59 }
  expect(loosenessOf({ ...UNKNOWN, ratePerSecond })).toMatchObject({ what: 'rate', low: 43 })
  const windowMs = { value: 10_000, low: 8_000, high: 11_000 }
  expect(loosenessOf({ ...UNKNOWN, windowMs })).toMatchObject({ what: 'window', high: 11_000 })
  expect(loosenessOf(UNKNOWN)).toBeNull()
  expect(loosenessOf({ ...UNKNOWN, windowMs: { value: 10, low: 9, high: 11.5 } })).toBeNull()
})
