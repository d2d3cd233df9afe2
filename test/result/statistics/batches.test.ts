import { expect, test } from 'vitest'
import type { Counted } from '../../../src/result/statistics/batches.ts'
import { effectiveSize, effectiveSizeBeside } from '../../../src/result/statistics/batches.ts'
import { createRandom } from '../../../src/base/random.ts'

const even = (count: number, n: number, hits: (at: number) => number): Counted[] =>
  Array.from({ length: count }, (_, at) => ({ n, hits: hits(at) }))

test('nothing is worth nothing, and few are taken for independent', () => {
  expect(effectiveSize([])).toEqual({ effective: 0, counted: 0, assumedIndependent: true })
  expect(effectiveSize(even(64, 1, () => 0))).toEqual({
    effective: 64,
    counted: 64,
    assumedIndependent: true,
  })
  expect(effectiveSize([{ n: 500, hits: 20 }])).toEqual({
    effective: 500,
    counted: 500,
    assumedIndependent: true,
  })
})

test('a series without hits, or of hits alone, has no spread', () => {
  expect(effectiveSize(even(64, 10, () => 0)).effective).toBe(640)
  expect(effectiveSize(even(64, 10, () => 10)).effective).toBe(640)
})

test('hits all in one stretch are worth as many observations as there are such stretches', () => {
  const { effective, assumedIndependent } = effectiveSize(even(64, 100, (at) => (at < 8 ? 100 : 0)))
  expect(assumedIndependent).toBe(false)
  expect(effective).toBeGreaterThan(3)
  expect(effective).toBeLessThan(8)
})

test('hits spread evenly are worth all', () => {
  expect(effectiveSize(even(64, 100, () => 5)).effective).toBe(6_400)
})

test('independent hits are worth most of their number, and never more', () => {
  const random = createRandom(4)
  const sizes = Array.from({ length: 200 }, () => {
    const bins = even(64, 30, () => {
      let hits = 0
      for (let i = 0; i < 30; i++) hits += random.next() < 0.05 ? 1 : 0
      return hits
    })
    return effectiveSize(bins).effective / 1_920
  })
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1)
  expect(sizes.reduce((sum, size) => sum + size, 0) / 200).toBeGreaterThan(0.5)
})

test('how the bins are cut, and bins without arrivals, change nothing that batches do not see', () => {
  const bins = even(32, 20, (at) => (at % 5 === 0 ? 6 : 0))
  const holed = bins.flatMap((bin) => [bin, { n: 0, hits: 0 }])
  expect(effectiveSize(holed)).toEqual(effectiveSize(bins))
  const halves = bins.flatMap(({ n, hits }) => [
    { n: n / 2, hits: hits / 2 },
    { n: n / 2, hits: hits / 2 },
  ])
  expect(effectiveSize(halves).effective).toBeCloseTo(effectiveSize(bins).effective, 9)
})

test('a partial bin at the end weighs by what it holds', () => {
  const bins = even(63, 20, () => 1)
  const { effective } = effectiveSize([...bins, { n: 2, hits: 0 }])
  expect(effective).toBe(1_262)
})

test('of companions the worst counts, and those too small to tell do not', () => {
  const calm = even(64, 100, () => 5)
  const clustered = even(64, 100, (at) => (at < 16 ? 100 : 0))
  const few = even(8, 5, (at) => (at < 4 ? 5 : 0))
  const alone = effectiveSize(clustered).effective
  expect(effectiveSize(calm, clustered).effective).toBeCloseTo(alone, 9)
  expect(effectiveSize(clustered, calm).effective).toBeCloseTo(alone, 9)
  expect(effectiveSize(calm, few).effective).toBe(6_400)
  expect(effectiveSize(few, clustered)).toEqual({
    effective: 40,
    counted: 40,
    assumedIndependent: true,
  })
})

test('series that share their companions have the sizes that they have one by one', () => {
  const random = createRandom(11)
  const drawn = (n: number, chance: number): Counted[] =>
    even(
      40,
      n,
      () => Array.from({ length: n }, () => random.next()).filter((x) => x < chance).length,
    )
  const sets = [
    [],
    [drawn(20, 0.3)],
    [drawn(20, 0.3), drawn(1, 0.2), even(40, 20, (at) => (at < 9 ? 20 : 0))],
  ]
  for (const companions of sets) {
    const sizeOf = effectiveSizeBeside(companions)
    for (const bins of [
      drawn(20, 0.05),
      drawn(20, 0),
      drawn(1, 0.5),
      [],
      even(40, 20, (at) => at % 7),
    ]) {
      expect(sizeOf(bins)).toEqual(effectiveSize(bins, ...companions))
    }
  }
})
