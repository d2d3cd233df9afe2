import { expect, test } from 'vitest'
import type { Chart } from '../../../src/report/charts/chart.ts'
import { drawn } from '../drawn.ts'

const HEIGHT = 200

/** Two points, the second with a whisker up to `high`. */
function chartTo(high: number): Chart {
  return {
    id: 'rates',
    heading: 'It rises',
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
  const [first = 0, second = 0] = [...drawn(chart).matchAll(/cy="([\d.]+)"/g)].map(([, height]) =>
    Number(height),
  )
  return first - second
}

test('a whisker that is far longer than the highest point is high does not flatten the panel', () => {
  expect(riseOf(chartTo(10))).toBeCloseTo(HEIGHT / 2)
  expect(riseOf(chartTo(1_000))).toBeCloseTo(HEIGHT / 4)
  expect(drawn(chartTo(1_000))).not.toMatch(/M[\d.]+ -/)
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
  const text = drawn({ ...chart, panels: [panel] })
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
  const text = drawn(changeTo(-0.1, 0.2))
  expect(text).toContain('>−10 %<')
  expect(text).toContain('>+20 %<')
  expect(drawn(changeTo(-9, 9))).not.toMatch(/>[+−]\d{3,} %</)
  // 10 % of an axis that reaches from -20 to +20 %, and a little further.
  expect(riseOf(changeTo(-9, 9))).toBeCloseTo(HEIGHT / 4.4, 0)
  expect(endsOf(changeTo(-0.1, 0.2)) - endsOf(changeTo(-9, 9))).toBe(2)
})

/** The ends of whiskers. */
function endsOf(chart: Chart): number {
  return drawn(chart).match(/h8/g)?.length ?? 0
}

/** A chart with these spans, over whose axis a value is a few pixels. */
function spanned(...spans: [label: string, from: number, to: number][]): string {
  const chart = chartTo(10)
  const ends = [0, 600].map((x) => ({ x, y: 5, low: null, high: null }))
  const panel = { ...chart.panels[0]!, points: [{ color: 'endToEnd' as const, points: ends }] }
  const shades = spans.map(([label, from, to]) => ({ label, from, to }))
  return drawn({ ...chart, x: { title: '', kind: 'count' }, panels: [panel], spans: shades })
}

function namesAbove(text: string): string[] {
  return [...text.matchAll(/<text class="quiet"[^>]*>([^<]+)</g)].map(([, name]) => name!)
}

test('a name stands by its first span', () => {
  const text = spanned(['outage', 300, 310], ['outage', 100, 120])
  expect(text.match(/<rect/g)).toHaveLength(2)
  expect(namesAbove(text)).toEqual(['outage'])
})

test('a name without room waits for a later span, and may find none', () => {
  const text = spanned(
    ['outage', 100, 120],
    ['slow', 110, 130],
    ['slow', 400, 410],
    ['late', 401, 402],
  )
  expect(namesAbove(text)).toEqual(['outage', 'slow'])
})

test('a moment is a line, and a name at the right edge is turned inward', () => {
  const text = spanned(['restart', 590, 590])
  expect(text).toContain('stroke-dasharray')
  expect(namesAbove(text)).toEqual(['restart'])
  const at = Number(/<text class="quiet" x="([\d.]+)"[^>]*>restart/.exec(text)![1])
  expect(at + 7 * 'restart'.length).toBeLessThan(1_041)
})

/** Where the names of two lines stand that end at these values. */
function heightsOfNames(first: number, second: number): number[] {
  const chart = chartTo(10)
  const lines = [first, second].map((end, at) => {
    const points = [10, end].map((y, x) => ({ x, y }))
    return { name: `line ${at}`, color: 'endToEnd' as const, dash: '', points }
  })
  const panel = { ...chart.panels[0]!, points: [], lines }
  const text = drawn({ ...chart, panels: [panel] })
  return [...text.matchAll(/y="([\d.]+)"\s*>line \d</g)].map(([, y]) => Number(y))
}

test('names of lines stand where these end, and apart where these meet', () => {
  const [low = 0, high = 0] = heightsOfNames(2, 8)
  expect(low - high).toBeCloseTo(0.6 * HEIGHT)
  expect(heightsOfNames(8, 2)).toEqual([high, low])
  const [one = 0, other = 0] = heightsOfNames(5, 5)
  expect(Math.abs(one - other)).toBeGreaterThanOrEqual(16)
})
