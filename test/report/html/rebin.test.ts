import { expect, test } from 'vitest'
import { rebin } from '../../../src/report/html/rebin.ts'
import { steadyDocument } from '../sample-document.ts'

const { series } = steadyDocument(120)
const narrow = rebin(series, 20)

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function highest(values: readonly (number | null)[]): number {
  return Math.max(...values.map((value) => value ?? 0))
}

test('fewer intervals hold the same arrivals, ends and heat', () => {
  expect(narrow.offered.length).toBeLessThanOrEqual(20)
  expect(sum(narrow.offered)).toBe(sum(series.offered))
  expect(sum(narrow.ended)).toBe(sum(series.ended))
  expect(sum(narrow.heat.counts.flat())).toBe(sum(series.heat.counts.flat()))
})

test('no peak is hidden', () => {
  expect(Math.max(...narrow.inFlight)).toBe(Math.max(...series.inFlight))
  expect(highest(narrow.executionP95Ms)).toBe(highest(series.executionP95Ms))
})

test('a series that fits stays as it is', () => {
  expect(rebin(series, 10_000)).toBe(series)
})
