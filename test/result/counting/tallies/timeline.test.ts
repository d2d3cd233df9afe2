import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sketch } from '../../../../src/result/counting/sketch.ts'
import { TimelineRecorder } from '../../../../src/result/counting/tallies/timeline.ts'

test('a sketch is within half its base of the sorted values', () => {
  const sketch = new Sketch(1.01)
  const values = Array.from({ length: 1_000 }, (_, i) => (i + 1) * 997)
  for (const value of values) sketch.record(value)
  expect(Math.abs(sketch.atRank(500) / (500 * 997) - 1)).toBeLessThan(0.0051)
  expect(sketch).toMatchObject({ n: 1_000, min: 997, max: 997_000 })
})

test('a sketch counts the same in any order, and adds up', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 90_000_000 })), (values) => {
      const sketches = [values, values.toSorted((a, b) => b - a)].map((list) => {
        const sketch = new Sketch(1.01)
        for (const value of list) sketch.record(value)
        return sketch
      })
      const [forth, falling] = sketches
      expect(forth!.buckets()).toEqual(falling!.buckets())
      const read = forth!.buckets().map(({ value }) => value)
      expect(read).toEqual(read.toSorted((a, b) => a - b))
      forth!.add(falling!)
      expect(forth!.buckets().reduce((sum, { count }) => sum + count, 0)).toBe(2 * values.length)
    }),
    { seed: 1 },
  )
})

test('a timeline doubles its interval as the run grows, and loses no count', () => {
  const forth = timelineOf([0, 100_000, 59_000_000, 3_600_000_000])
  const back = timelineOf([3_600_000_000, 59_000_000, 100_000, 0])
  expect(forth).toEqual(back)
  expect(forth.intervalMicros).toBe(16_000_000)
  expect(forth.offered.length).toBe(226)
  expect(forth.offered.reduce((a, b) => a + b)).toBe(4)
  expect(forth.executions.reduce((sum, { n }) => sum + n, 0)).toBe(4)
})

test('a short run keeps quarters of a second', () => {
  expect(timelineOf([0, 900_000])).toMatchObject({ intervalMicros: 250_000, offered: [1, 0, 0, 1] })
})

function timelineOf(points: readonly number[]) {
  const timeline = new TimelineRecorder()
  for (const at of points) {
    timeline.count('offered', at)
    timeline.error('status 500', at)
    timeline.time('executions', at, 1_000)
  }
  const { executions, ...rest } = timeline.snapshot([])
  return { ...rest, executions: executions.map(({ n, sum, max }) => ({ n, sum, max })) }
}
