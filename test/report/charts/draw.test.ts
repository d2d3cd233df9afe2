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

/** A change with whiskers on both sides of 0. */
function changeTo(low: number, high: number): Chart {
  const chart = chartTo(0)
  const points = [
    { x: 1, y: 0, low: null, high: null },
    { x: 2, y: 0.1, low, high },
  ]
  return {
    ...chart,
    panels: [
      { ...chart.panels[0]!, y: { title: '', kind: 'change' }, points: [{ color: 'bad', points }] },
    ],
  }
}

test('an axis of changes holds both sides of 0, and cuts whiskers at both ends', () => {
  const { text } = drawChart(changeTo(-0.1, 0.2))
  expect(text).toContain('>−10 %<')
  expect(text).toContain('>+20 %<')
  expect(drawChart(changeTo(-9, 9)).text).not.toMatch(/>[+−]\d{3,} %</)
  // 10 % of an axis that reaches from -20 to +20 %, and a little further.
  expect(riseOf(changeTo(-9, 9))).toBeCloseTo(HEIGHT / 4.4, 0)
  expect(endsOf(changeTo(-0.1, 0.2)) - endsOf(changeTo(-9, 9))).toBe(2 * 3)
})

/** The ends of whiskers, in three pictures. */
function endsOf(chart: Chart): number {
  return drawChart(chart).text.match(/h8/g)?.length ?? 0
}
