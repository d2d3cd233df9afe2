/** Changes of series whose truth is known. */
import { array, assert, double, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changePoints } from '../../../../src/result/statistics/comparing/change-points.ts'
import { createRandom } from '../../../../src/base/random.ts'

const TERMS = { level: 0.01, least: Math.log(1.05) }

/** Logarithms of 60 gates; `steps` are added from an index on. */
function series(
  seed: number,
  noise: number,
  steps: readonly (readonly [at: number, by: number])[],
): number[] {
  const random = createRandom(seed).fork('series')
  return Array.from({ length: 60 }, (_, i) => {
    const level = steps.reduce((sum, [at, by]) => (i >= at ? sum + Math.log(1 + by) : sum), 0)
    return level + noise * random.normal()
  })
}

/** No value differs from those beside it, but for one step. */
function flat(before: number, after: number): number[] {
  return [...Array<number>(before).fill(0), ...Array<number>(after).fill(0.26)]
}

const seeds = Array.from({ length: 100 }, (_, i) => 900 + i)

describe('of 100 histories of 60 gates with 2 % of noise', () => {
  test('a step of 8 % at the 40th is named within 2, and nothing else', () => {
    const named = seeds.map((seed) => changePoints(series(seed, 0.02, [[40, 0.08]]), TERMS))
    const right = named.filter(
      ([first, ...others]) =>
        first !== undefined && Math.abs(first.at - 40) <= 2 && others.length === 0,
    )
    expect(right.length).toBeGreaterThanOrEqual(98)
  })

  test('none is named without a step in 99', () => {
    const named = seeds.filter((seed) => changePoints(series(seed, 0.02, []), TERMS).length > 0)
    expect(named.length).toBeLessThanOrEqual(1)
  })

  test('what went up and came back is two changes', () => {
    const found = seeds.map((seed) =>
      changePoints(
        series(seed, 0.02, [
          [20, 0.1],
          [40, -1 + 1 / 1.1],
        ]),
        TERMS,
      ),
    )
    const right = found.filter(
      (points) =>
        points.length === 2 &&
        Math.abs(points[0]!.at - 20) <= 2 &&
        Math.abs(points[1]!.at - 40) <= 2,
    )
    expect(right.length).toBeGreaterThanOrEqual(97)
  })
})

test('a level without a minimum difference holds too', () => {
  const any = { level: 0.01, least: 0 }
  const named = Array.from({ length: 400 }, (_, i) =>
    changePoints(series(5_000 + i, 0.02, []), any),
  )
  // 10 and more of 400 would come in fewer than 1 of 100 such tests if 1 % were true.
  expect(named.filter((points) => points.length > 0).length).toBeLessThan(10)
})

test('one outlier is no change, and neither is a change too small to count', () => {
  const values = series(3, 0.01, [])
  expect(changePoints(values.with(30, 0.5), TERMS)).toEqual([])
  expect(changePoints(series(4, 0.005, [[30, 0.03]]), TERMS)).toEqual([])
})

describe('a step of 30 % held for 20 gates is named', () => {
  const step = series(5, 0.02, [[40, 0.3]])
  test.each([
    ['before it', 20, Math.log(10)],
    ['within it', 50, Math.log(10)],
    ['at its end', 59, Math.log(10)],
    ['as a value that never came', 50, Infinity],
  ])('beside one gate at ten times the value, %s', (_where, at, value) => {
    const found = changePoints(step.with(at, value), TERMS)
    expect(found.map((point) => point.at)).toEqual([40])
    expect(found[0]!.after - found[0]!.before).toBeCloseTo(Math.log(1.3), 1)
  })

  test.each([3, 6, 20])('without any spread, %i gates old', (after) => {
    expect(changePoints(flat(20, after), TERMS)).toEqual([
      { at: 20, before: 0, after: 0.26, p: expect.any(Number) },
    ])
  })
})

test('a step that is two gates old is none yet', () => {
  expect(changePoints(flat(20, 2), TERMS)).toEqual([])
})

test('what never comes any more is a change to Infinity, and back', () => {
  const dead = series(6, 0.02, []).fill(Infinity, 20, 40)
  const [gone, back, ...others] = changePoints(dead, TERMS)
  expect([gone, back]).toMatchObject([
    { at: 20, after: Infinity },
    { at: 40, before: Infinity },
  ])
  expect(others).toEqual([])
  expect(changePoints(dead.fill(Infinity), TERMS)).toEqual([])
})

test('medians and place are those of the two sides', () => {
  const values = [1, 1.1, 0.9, 1, 1.05, 0.95, 3, 3.1, 2.9, 3, 3.05, 2.95]
  expect(changePoints(values, { level: 0.01, least: 0 })).toEqual([
    { at: 6, before: expect.closeTo(1, 9), after: expect.closeTo(3, 9), p: expect.any(Number) },
  ])
})

test('any series has changes in order, inside it, and is not altered', () => {
  assert(
    property(array(double({ min: -5, max: 5, noNaN: true }), { maxLength: 40 }), (values) => {
      const copy = [...values]
      const places = changePoints(values, { level: 0.5, least: 0 }).map(({ at }) => at)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(places.every((at) => at >= 3 && at <= values.length - 3)).toBe(true)
      expect(values).toEqual(copy)
    }),
  )
})
