import { expect, test } from 'vitest'
import type { Chart } from '../../../src/report/charts/chart.ts'
import { drawChart } from '../../../src/report/charts/draw.ts'

const HEIGHT = 200

/** Two points, the second with a whisker up to `high`. */
function chartTo(high: number): Chart {
  return {
    id: 'rates',
    finding: 'It rises',
    caption: '',
    x: { title: '', kind: 'count' },
    panels: [
      {
        y: { title: 'a second', kind: 'count' },
        height: { narrow: HEIGHT, wide: HEIGHT },
        lines: [],
        points: [
          {
            color: 'endToEnd',
            points: [
              { x: 1, y: 5, low: null, high: null },
              { x: 2, y: 10, low: 8, high },
            ],
          },
        ],
      },
    ],
    table: { columns: [], rows: [] },
  }
}

/** Between the two points of the first picture, in its own units. */
function riseOf(chart: Chart): number {
  const [first = 0, second = 0] = [...drawChart(chart).text.matchAll(/cy="([\d.]+)"/g)].map(
    ([, height]) => Number(height),
  )
  return first - second
}

test('a whisker that is far longer than the highest point is high does not flatten the panel', () => {
  expect(riseOf(chartTo(10))).toBeCloseTo(HEIGHT / 2)
  expect(riseOf(chartTo(1_000))).toBeCloseTo(HEIGHT / 4)
  expect(drawChart(chartTo(1_000)).text).not.toMatch(/M[\d.]+ -/)
})

test.each([
  [
    [0, 0],
    ['0 %', '100 %'],
  ],
  [
    [0.01, 0.018],
    ['0 %', '0.5 %', '2 %'],
  ],
  [
    [0.02, 0.4],
    ['0 %', '25 %', '100 %'],
  ],
])('shares of %j are drawn on a scale that shows them', (values, labels) => {
  const chart = chartTo(10)
  const points = values.map((y, x) => ({ x, y, low: null, high: null }))
  const panel = {
    ...chart.panels[0]!,
    y: { title: '', kind: 'share' } as const,
    points: [{ color: 'endToEnd' as const, points }],
  }
  const { text } = drawChart({ ...chart, panels: [panel] })
  for (const label of labels) expect(text).toContain(`>${label}<`)
})
