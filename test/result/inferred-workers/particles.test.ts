/** Possible states of a crew. */
import { expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { Particles } from '../../../src/result/inferred-workers/by-ends.ts'

const random = createRandom(1)

test('the worker that is free first takes the next one', () => {
  const crew = new Particles(1, 2)
  const freeAfter = [30, 10, 20, 40].map((end) => {
    crew.takeAll(end)
    return crew.freeAt(0)
  })
  // Both begin free; then the one that ends first counts.
  expect(freeAfter).toEqual([-Infinity, 10, 20, 30])
})

test('particles that are equally likely are kept', () => {
  const crew = new Particles(4, 1)
  crew.take(Float64Array.of(1, 2, 3, 4), Float64Array.of(0.2, 0.2, 0.2, 0.2), random)
  expect([0, 1, 2, 3].map((p) => crew.freeAt(p))).toEqual([1, 2, 3, 4])
})

test('unlikely ones are replaced by likely ones, by their weights', () => {
  const crew = new Particles(4, 1)
  crew.take(Float64Array.of(1, 2, 3, 4), Float64Array.of(0, 0.5, 0, 0.5), random)
  expect([0, 1, 2, 3].map((p) => crew.freeAt(p))).toEqual([2, 2, 4, 4])
  // What was copied goes on by itself.
  crew.take(Float64Array.of(5, 6, 7, 8), Float64Array.of(1, 1, 1, 1), random)
  expect([0, 1, 2, 3].map((p) => crew.freeAt(p))).toEqual([5, 6, 7, 8])
})
