/** The user's mistakes, as they are told. */
import { describe, expect, test } from 'vitest'
import type { Mistake } from '../../src/base/mistakes.ts'
import {
  UserError,
  durationFrom,
  formatMistake,
  namedTwice,
  nearestName,
  notWhole,
} from '../../src/base/mistakes.ts'

describe('a mistake on one line', () => {
  test('with everything known', () => {
    expect(
      formatMistake({
        source: 'steady.ts',
        line: 4,
        column: 3,
        path: 'arrivals.rate',
        found: '"fast"',
        problem: 'expected a rate like "2/s"',
        nearest: '2/s',
      }),
    ).toBe(
      'steady.ts:4:3 arrivals.rate: expected a rate like "2/s" (found "fast"); did you mean "2/s"?',
    )
  })

  test('with as little as a source and a problem', () => {
    expect(formatMistake({ source: '--out', path: '', problem: 'cannot be written' })).toBe(
      '--out: cannot be written',
    )
  })
})

test('an error tells all its mistakes, a line each', () => {
  const mistakes = ['a', 'b'].map((path) => ({ source: 'x.yaml', path, problem: 'is wrong' }))
  const error = new UserError(mistakes)
  expect(error.message).toBe('x.yaml a: is wrong\nx.yaml b: is wrong')
  expect(error.mistakes).toEqual(mistakes)
  expect(error.name).toBe('UserError')
})

test.each([0, 5, 1.5, Number.NaN, Infinity])('%s is no whole number from 1 to 4', (found) => {
  expect(notWhole('--runs', found, 1, 4)).toEqual([
    {
      source: '--runs',
      found: String(found),
      problem: 'expected a whole number from 1 to 4',
    },
  ])
})

const BOUNDS = [500_000, 1_000_000] as const

test.each([
  ['500ms', 500_000],
  ['0.75s', 750_000],
  ['1s', 1_000_000],
])('%s is a duration from 500ms to 1s', (text, micros) => {
  const mistakes: Mistake[] = []
  const given = { source: '--for', text, range: 'from 500ms to 1s' }
  expect([durationFrom(given, BOUNDS, mistakes), mistakes]).toEqual([micros, []])
})

test.each(['499ms', '1.001s', 'soon', ''])('"%s" is none', (text) => {
  const mistakes: Mistake[] = []
  durationFrom({ source: '--for', text, range: 'from 500ms to 1s' }, BOUNDS, mistakes)
  const problem = 'expected a duration like "500ms", "2s", "1.5m" or "1h30m", from 500ms to 1s'
  expect(mistakes).toEqual([{ source: '--for', found: JSON.stringify(text), problem }])
})

test('the ends of a range belong to it', () => {
  expect([1, 4].flatMap((found) => notWhole('--runs', found, 1, 4))).toEqual([])
})

test('a source that is named three times is one mistake', () => {
  expect(namedTwice(['a', 'b', 'a', 'a'])).toEqual([
    { source: 'a', problem: 'is named more than once' },
  ])
})

describe('the nearest name', () => {
  const known = ['default', 'fast', 'slow-report']

  test.each([
    ['defualt', 'default'],
    ['fats', 'fast'],
    ['slowreport', 'slow-report'],
    ['Fast', 'fast'],
  ])('to %s is %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest)
  })

  test('is none when nothing is close, or nothing is known', () => {
    expect(nearestName('chaos-monkey', known)).toBeUndefined()
    expect(nearestName('fast', [])).toBeUndefined()
  })
})
