import { expect, test } from 'vitest'
import { history } from '../../../../../src/study/comparing/history/study.ts'
import { describeStudy } from '../../../reports.ts'
import { documentOf, gatesOf, SAMPLES } from '../sample-histories.ts'

describeStudy(history, SAMPLES)

test('a gate is a point by its decision, at its commit and date', () => {
  const gates = gatesOf(9, 0, 12)
  gates[4] = { ...gates[4]!, decision: 'fail' }
  const figures = history
    .report(documentOf(gates))
    .sections.flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === 'figure' ? [block.chart] : []))
  const { x, panels, caption } = figures[0]!
  const shapes = panels[0]!.points!.filter(({ points }) => points.length > 0)
  expect(shapes.map(({ shape, color, points }) => [shape, color, points.length])).toEqual([
    ['circle', 'service', 11],
    ['cross', 'error', 1],
  ])
  expect(x.ticks![4]!.label).toMatch(/^c0ffee04 2026-11-\d\d$/)
  expect(caption).toContain('Pass is a circle, fail is a cross.')
})
