import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ArrivalBins } from '../../../src/analysis/statistics/arrival-bins.ts'

test('what comes in order lies in bins of its own, until there are 64', () => {
  const bins = new ArrivalBins()
  for (let i = 0; i < 64; i++) bins.record(i, i % 4 === 0 ? 1_000 : 10)
  expect(bins.above(100)).toEqual(
    Array.from({ length: 64 }, (_, i) => ({ n: 1, hits: i % 4 === 0 ? 1 : 0 })),
  )
  bins.record(64, 10)
  expect(bins.above(100)).toHaveLength(33)
  expect(bins.above(100).at(-1)).toEqual({ n: 1, hits: 0 })
})

test('however late an observation is known, it counts where it arrived', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(50, 5_000, Infinity), { minLength: 1, maxLength: 400 }),
      fc.integer(),
      (values, seed) => {
        const ordered = new ArrivalBins()
        for (const [i, value] of values.entries()) ordered.record(i, value)
        const mixed = new ArrivalBins()
        const late = [...values.entries()].sort(([a], [b]) => ((a * seed) % 7) - ((b * seed) % 7))
        for (const [i, value] of late) mixed.record(i, value)
        expect(mixed.above(500)).toEqual(ordered.above(500))
        const width = 2 ** Math.max(0, Math.ceil(Math.log2(values.length / 64)))
        const hits = (at: number) =>
          values.slice(at * width, (at + 1) * width).filter((value) => value > 500).length
        expect(ordered.above(500).map((bin) => bin.hits)).toEqual(
          ordered.above(500).map((_, at) => hits(at)),
        )
      },
    ),
    { seed: 8, numRuns: 60 },
  )
})

test('who was watched for less than the bound, without an end, is on neither side', () => {
  const bins = new ArrivalBins()
  bins.record(0, 200)
  bins.recordCensored(0, 200)
  bins.recordCensored(0, 2_000)
  bins.record(1, Infinity)
  expect(bins.above(1_000)).toEqual([
    { n: 2, hits: 1 },
    { n: 1, hits: 1 },
  ])
})

test('an order may be a time', () => {
  const bins = new ArrivalBins()
  for (let second = 0; second < 600; second++) bins.record(second * 1_000_000, 10)
  const sizes = bins.above(100).map(({ n }) => n)
  expect(sizes.length).toBeLessThanOrEqual(64)
  expect(sizes.reduce((sum, n) => sum + n, 0)).toBe(600)
})
