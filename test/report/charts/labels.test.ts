import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitText, spread, textWidth } from '../../../src/report/charts/plot.ts'

test('labels that have room stay where they are', () => {
  expect(spread([10, 50, 90], 14, 0, 100)).toEqual([10, 50, 90])
})

test('labels keep their gap, their order and their bounds when there is room for all', () => {
  const places = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { maxLength: 8 })
  fc.assert(
    fc.property(places, (wanted) => {
      const placed = spread(wanted, 20, 0, 200)
      const order = wanted
        .map((_, index) => index)
        .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
      const sorted = order.map((index) => placed[index] ?? 0)
      const gaps = sorted.slice(1).map((at, rank) => at - (sorted[rank] ?? 0))
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(20 - 1e-9)
      expect(sorted.every((at) => at >= 0 && at <= 200)).toBe(true)
    }),
    { seed: 20_261_121, numRuns: 200 },
  )
})

test('text is shortened to its room, and left out when nothing of it would be left', () => {
  expect(fitText('research', 200)).toBe('research')
  expect(fitText('research', textWidth('research') - 1)).toBe('resear…')
  expect(fitText('research', 12)).toBeNull()
})
