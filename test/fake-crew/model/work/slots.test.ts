import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Slots } from '../../../../fake-crew/model/work/slots.ts'

/** First come, first served, by hand: scan for the slot that is free first. */
function startsByScan(count: number, jobs: readonly [gap: number, service: number][]): number[] {
  const freeAt = Array.from({ length: count }, () => 0)
  let ready = 0
  return jobs.map(([gap, service]) => {
    ready += gap
    const slot = freeAt.indexOf(Math.min(...freeAt))
    const start = Math.max(ready, freeAt[slot]!)
    freeAt[slot] = start + service
    return start
  })
}

const job = fc.tuple(
  fc.integer({ min: 0, max: 50 }),
  fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 200 }) },
    { weight: 1, arbitrary: fc.constant(Infinity) },
  ),
)

test('starts every job when a scan over all slots would, stuck ones included', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(job, { maxLength: 60 }), (count, jobs) => {
      const slots = new Slots(count)
      let ready = 0
      const starts = jobs.map(([gap, service]) => slots.take((ready += gap), service))
      expect(starts).toEqual(startsByScan(count, jobs))
    }),
    { seed: 5 },
  )
})

test('starts at once without a limit', () => {
  const slots = new Slots(null)
  expect([slots.take(5, Infinity), slots.take(5, 10), slots.take(7, 10)]).toEqual([5, 5, 7])
})

test('knows when the next slot is free', () => {
  const slots = new Slots(2)
  expect(slots.earliestFree).toBe(-Infinity)
  slots.take(0, 10)
  slots.take(0, 4)
  expect(slots.earliestFree).toBe(4)
})
