import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chart, Plot } from '../../../../../src/report/charts/chart.ts'
import type { Table } from '../../../../../src/report/text/table.ts'
import { timeChart } from '../../../../../src/report/run/sections/over-time/over-time.ts'
import { formatMs } from '../../../../../src/base/numbers.ts'
import type { Series } from '../../../../../src/result/document.ts'
import { steadyDocument } from '../../sample-document.ts'

/** With fewer than 20 samples the 95th percentile is the largest of them. */
const FEWEST_ENDED = 20

const EDGES_MS = [100, 200, 400, 800]

/** Made once: the property below asks for hundreds. */
const document = steadyDocument()
const { series } = document

/** What the page shows of a run that went like this. */
function chartOf(own: Series): Chart & { narrow: Plot } {
  return timeChart({ ...document, series: own }) as Chart & { narrow: Plot }
}

function rowsOf({ table }: Chart, at: number): string[][] {
  return (table as readonly Table[])[at]!.rows.map((row) => row.map(String))
}

function stretches(own: Series) {
  const chart = chartOf(own)
  const [p50 = [], p95 = []] = ['p50', 'p95'].map(
    (name) => chart.panels[2]?.lines.find((line) => line.name === name)?.points,
  )
  return rowsOf(chart, 1).map(([from, to, count], i) => ({
    from,
    to,
    ended: Number(count),
    toMs: p50[i + 1]!.x,
    p50Ms: p50[i]!.y,
    p95Ms: p95[i]!.y,
  }))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

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
        let end: string | undefined = formatMs(0)
        for (const each of found) {
          expect(each.ended).toBeGreaterThanOrEqual(FEWEST_ENDED)
          expect(each.from).toBe(end)
          end = each.to
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

const { narrow } = chartOf(series)

/** A plot's counts by column, of a line of the first panel. */
function ratesOf({ panels }: Plot, name: string): number[] {
  const points = panels[0]!.lines.find((line) => line.name === name)!.points.map(({ y }) => y)
  return points.slice(0, -1)
}

test('fewer intervals hold the same arrivals, ends and heat', () => {
  const rows = rowsOf(chartOf(series), 0)
  const totalOf = (column: number): number => sum(rows.map((row) => Number(row[column])))
  expect(series.offered.length).toBeGreaterThan(60)
  expect(rows.length).toBeLessThanOrEqual(60)
  expect(totalOf(1)).toBe(sum(series.offered))
  expect(totalOf(5)).toBe(sum(series.ended))
  const cells = narrow.panels[2]!.cells!.map(({ tip }) => Number.parseInt(tip ?? '', 10))
  expect(sum(cells)).toBe(sum(series.heat.counts.flat()))
})

function withFault(own: Series): Plot {
  const touched = { inputs: 0, kickoff: 1, status: 0 }
  const fault = { name: 'outage', kind: 'status', always: false, times: 2, touched }
  const faults = [{ ...fault, bands: [], counts: own.offered }]
  return (timeChart({ ...document, series: own, faults }) as Chart & { narrow: Plot }).narrow
}

test('other counts follow the same intervals', () => {
  const plot = withFault(series)
  const rates = ratesOf(plot, 'offered')
  const { counts } = plot.lanes![0]!.lanes[0]!
  expect(sum(counts)).toBe(sum(series.offered))
  expect(counts).toHaveLength(rates.length)
  const factor = sum(rates) / sum(counts)
  for (const [i, rate] of rates.entries()) expect(rate).toBeCloseTo(factor * counts[i]!, 6)
})

test('no peak is hidden', () => {
  const shown = narrow.panels[1]!.lines[0]!.points.map(({ y }) => y)
  expect(Math.max(...shown)).toBe(Math.max(...series.inFlight))
})

function lasting(intervals: number, each = 1, intervalMs = 250): Series {
  return { ...series, intervalMs, offered: Array.from({ length: intervals }, () => each) }
}

/** When the second row begins, if each has this many intervals. */
function secondOf(stride: number): string {
  return rowsOf(chartOf(lasting(60 * stride)), 0)[1]![0]!
}

test('intervals are a round length where that costs little', () => {
  expect([secondOf(3), secondOf(11)]).toEqual([formatMs(1_000), formatMs(2_750)])
})

test('a series that fits stays as it is', () => {
  const inFlight = Array.from({ length: 40 }, (_, i) => i)
  const short = { ...lasting(40, 10), inFlight }
  expect(rowsOf(chartOf(short), 0)).toHaveLength(40)
  const shown = withFault(short)
  expect(shown.panels[1]!.lines[0]!.points.map(({ x, y }) => [x, y])).toEqual(
    [...inFlight, 39].map((y, i) => [250 * i, y]),
  )
  expect(shown.lanes![0]!.lanes[0]!.counts).toEqual(short.offered)
})

test.each([
  [20, 24],
  [200, 50],
  [8_000, 148],
])(
  'few kickoffs get wide intervals, many as narrow ones as the width holds: %d',
  (all, columns) => {
    // So many, of such a length, that one column more or less would show.
    const intervals = columns * (columns + 1)
    const plot = chartOf(lasting(intervals, all / intervals, 11))
    expect(ratesOf(plot, 'offered')).toHaveLength(columns)
  },
)
