import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  FEWEST_ENDED,
  readableColumns,
  rebin,
  rebinned,
  stretches,
  sum,
} from '../../../../../src/report/run/sections/over-time/series.ts'
import type { Series } from '../../../../../src/result/document.ts'
import { steadyDocument } from '../../sample-document.ts'

const EDGES_MS = [100, 200, 400, 800]

/** Made once: the property below asks for hundreds. */
const { series } = steadyDocument()

function seriesOf(counts: number[][]): Series {
  return { ...series, intervalMs: 250, heat: { edgesMs: EDGES_MS, counts } }
}

const rows = fc.array(fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }), { maxLength: 60 })

function ended(counts: readonly (readonly number[])[]): number {
  return sum(counts.flat())
}

describe('stretches', () => {
  test('hold at least the fewest ended each, follow one another and leave no execution out', () => {
    fc.assert(
      fc.property(rows, (counts) => {
        const found = stretches(seriesOf(counts))
        const all = ended(counts)
        expect(sum(found.map((each) => each.ended))).toBe(all < FEWEST_ENDED ? 0 : all)
        let end = 0
        for (const each of found) {
          expect(each.ended).toBeGreaterThanOrEqual(FEWEST_ENDED)
          expect(each.fromMs).toBe(end)
          end = each.toMs
        }
      }),
      { seed: 20_261_121, numRuns: 200 },
    )
  })

  test('read their quantiles within the row that holds them', () => {
    fc.assert(
      fc.property(rows, (counts) => {
        for (const { p50Ms, p95Ms } of stretches(seriesOf(counts))) {
          expect(p50Ms).toBeGreaterThanOrEqual(100)
          expect(p95Ms).toBeGreaterThanOrEqual(p50Ms)
          expect(p95Ms).toBeLessThanOrEqual(800)
        }
      }),
      { seed: 20_261_121, numRuns: 200 },
    )
  })

  test('end at the last arrival, whatever ends later', () => {
    const column = [0, FEWEST_ENDED, 0]
    const counts = Array.from({ length: 6 }, () => column)
    const offered = [5, 0, 7, 0, 0, 0]
    expect(stretches({ ...seriesOf(counts), offered }).at(-1)?.toMs).toBe(750)
  })

  test('place a quantile evenly by the logarithm', () => {
    const [only] = stretches(seriesOf([[0, 20, 0]]))
    expect(only?.p50Ms).toBeCloseTo(200 * Math.SQRT2)
    expect(only?.p95Ms).toBeCloseTo(200 * 2 ** 0.95)
  })

  test('are none where nothing ended', () => {
    expect(stretches({ ...seriesOf([[], []]), heat: { edgesMs: [], counts: [[], []] } })).toEqual(
      [],
    )
  })
})

const narrow = rebin(series, 20)

test('fewer intervals hold the same arrivals, ends and heat', () => {
  expect(narrow.offered.length).toBeLessThanOrEqual(20)
  expect(sum(narrow.offered)).toBe(sum(series.offered))
  expect(sum(narrow.ended)).toBe(sum(series.ended))
  expect(sum(narrow.heat.counts.flat())).toBe(sum(series.heat.counts.flat()))
})

test('other counts follow the same intervals', () => {
  expect(rebinned(series.offered, series, narrow)).toEqual(narrow.offered)
  expect(rebinned(series.offered, series, series)).toEqual(series.offered)
})

test('no peak is hidden', () => {
  expect(Math.max(...narrow.inFlight)).toBe(Math.max(...series.inFlight))
})

test('intervals are a round length where that costs little', () => {
  const quarters = { ...series, intervalMs: 250 }
  const columnsOf = (stride: number): number => Math.ceil(series.offered.length / stride)
  expect(rebin(quarters, columnsOf(3)).intervalMs).toBe(1_000)
  expect(rebin(quarters, columnsOf(11)).intervalMs).toBe(2_750)
})

test('a series that fits stays as it is', () => {
  expect(rebin(series, 10_000)).toBe(series)
})

function offered(each: number): typeof series {
  return { ...series, offered: Array.from({ length: 200 }, () => each) }
}

test('few kickoffs get wide intervals, many as narrow ones as the width holds', () => {
  expect(readableColumns(offered(0.1), 1_040)).toBe(24)
  expect(readableColumns(offered(1), 1_040)).toBe(50)
  expect(readableColumns(offered(40), 1_040)).toBe(148)
})
