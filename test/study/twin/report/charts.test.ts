import { expect, test } from 'vitest'
import type { TwinPart } from '../../../../src/study/twin/document.ts'
import { PARTS } from '../../../../src/study/twin/sentences/parts.ts'
import { reasonOf } from '../../../../src/result/sentence-tables.ts'
import { quantileChart } from '../../../../src/study/twin/report/report.ts'

test('the line on which quantiles are the same holds between its ends on any axes', () => {
  const quantile = { value: 1, low: null, high: null, fitted: 1 }
  const qq = [1_000, 2_000, 9_000].map((ms, i) => ({ share: i / 3, observed: ms, fitted: ms }))
  const goodness = { n: 3, between: 0, censored: 0, p50: quantile, p95: quantile, heldOut: [], qq }
  const part: TwinPart = {
    kind: 'task',
    name: 'task plan',
    unit: 'ms',
    at: null,
    learned: reasonOf(PARTS, 'asks-hidden', {}),
    fit: null,
    estimate: null,
    goodness: { ...goodness, test: null },
    identified: true,
  }
  const points = quantileChart(part, 0)!.panels[0]!.lines[0]!.points
  expect([points[0]!.x, points.at(-1)!.x]).toEqual([1_000, expect.closeTo(9_000) as number])
  expect(points.every(({ x, y }) => x === y)).toBe(true)
  // Steps so small that a curve between them is none to the eye.
  const steps = points.slice(1).map(({ x }, i) => x / points[i]!.x)
  expect(Math.max(...steps)).toBeLessThan(1.12)
})
