import { expect, test } from 'vitest'
import { readableColumns, rebin, rebinned } from '../../../../src/report/charts/time/rebin.ts'
import { steadyDocument } from '../../run/sample-document.ts'

const { series } = steadyDocument()
const narrow = rebin(series, 20)

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

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
