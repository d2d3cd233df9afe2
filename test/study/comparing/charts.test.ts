import { describe, expect, test } from 'vitest'
import type { Chart, ChartTable } from '../../../src/report/charts/chart.ts'
import type { ComparisonDocument } from '../../../src/study/comparing/comparison/document.ts'
import { comparison } from '../../../src/study/comparing/comparison/study.ts'
import { drawn } from '../../report/drawn.ts'
import { chartOf } from '../../support/charts.ts'
import { comparisonOf } from './comparison/sample-comparisons.ts'

const DECILES = ['p10', 'p20', 'p30', 'p40', 'p50', 'p60', 'p70', 'p80', 'p90']

function shiftChart(document: ComparisonDocument): Chart | null {
  return chartOf(comparison.report(document), 'shift')
}

function ninesChart(document: ComparisonDocument): Chart | null {
  return chartOf(comparison.report(document), 'nines')
}

describe('the shift of the deciles', () => {
  const slower = comparisonOf({ runs: 5 }, { runs: 5, slower: 1.2 })

  test('has each decile with its band, in the picture and as a table', () => {
    const chart = shiftChart(slower)!
    const { rows } = chart.table as ChartTable
    expect(rows.map(([decile]) => decile)).toEqual(DECILES)
    expect(chart.panels[0]!.points![0]!.points.map(({ x }) => x)).toEqual(
      slower.shift.map(({ q }) => q),
    )
    for (const { ratio, low, high } of slower.shift) {
      expect(low!).toBeGreaterThan(1)
      expect(low!).toBeLessThan(ratio)
      expect(high!).toBeGreaterThan(ratio)
    }
    expect(chart.heading).toMatch(/^Every decile moved, most by \+2\d(?:\.\d)? % at p\d0$/)
  })

  test('is at the median the change that the table of metrics tells', () => {
    const { change } = slower.metrics.find(({ name }) => name === 'execution.p50')!
    const median = slower.shift.find(({ q }) => q === 0.5)!
    expect(change).toMatchObject({ ratio: expect.closeTo(median.ratio, 9) })
    // Of nine deciles together, and so wider than the interval of one.
    expect(median.low!).toBeLessThan(change!.low!)
    expect(median.high!).toBeGreaterThan(change!.high!)
  })

  test('names a decile that is not proven by a hollow point', () => {
    const alike = comparisonOf({ runs: 5 }, { runs: 5 })
    const chart = shiftChart(alike)!
    expect(chart.heading).toMatch(/^No decile is proven to have moved; the largest change is /)
    expect(chart.panels[0]!.points![0]!.points.every(({ hollow }) => hollow)).toBe(true)
    expect(drawn(chart)).toContain('fill="var(--paper)"')
  })

  test('of one run a side has the interval that they tell themselves, and says so', () => {
    const single = comparisonOf({ runs: 1 }, { runs: 1, slower: 1.5 })
    expect(shiftChart(single)!.caption).toContain(
      '95 % intervals from within a single run per side',
    )
    expect(single.shift[4]!.low).not.toBeNull()
    const lonely = comparisonOf({ runs: 1 }, { runs: 3 })
    expect(lonely.shift.every(({ low, high }) => low === null && high === null)).toBe(true)
    expect(shiftChart(lonely)!.caption).toContain('There are no intervals')
  })

  test('is the same each time the same runs are compared', () => {
    const again = comparisonOf({ runs: 5 }, { runs: 5, slower: 1.2 })
    expect(again.shift).toEqual(slower.shift)
    expect(again.curves).toEqual(slower.curves)
  })
})

describe('the curves of both sides', () => {
  const slower = comparisonOf({ runs: 6 }, { runs: 6, slower: 1.2 })

  test('begin at the median, and have bands around the geometric means', () => {
    const chart = ninesChart(slower)!
    expect(slower.curves[0]!.q).toBe(0.5)
    for (const { base, new: next } of slower.curves) {
      expect([base.low! < base.ms, base.ms < base.high!]).toEqual([true, true])
      expect(next.ms).toBeGreaterThan(base.ms)
    }
    expect((chart.table as ChartTable).rows).toHaveLength(slower.curves.length)
    // An area for each side.
    expect(drawn(chart).match(/fill-opacity="0.18"/g)).toHaveLength(2)
  })

  test('have each step of nines equally far from the next', () => {
    const text = drawn({
      ...ninesChart(slower)!,
      panels: [
        {
          y: { title: '', kind: 'duration' },
          lines: [
            {
              name: 'new',
              color: 'endToEnd',
              dash: '',
              points: [0.5, 0.9, 0.99, 0.999].map((x) => ({ x, y: 1 + x, tip: 'x' })),
            },
          ],
        },
      ],
    })
    const at = [...text.matchAll(/cx="([\d.]+)"/g)].slice(0, 4).map(([, x]) => Number(x))
    const steps = at.slice(1).map((x, i) => x - at[i]!)
    for (const step of steps) expect(step).toBeCloseTo(steps[0]!, 1)
  })

  test('end where a run does not know the quantile', () => {
    expect(ninesChart({ ...slower, curves: slower.curves.slice(0, 2) })).toBeNull()
  })
})
