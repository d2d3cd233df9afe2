import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  parseLadder,
  shareOfBudget,
  visitOrder,
} from '../../../../src/study/saturation/plan/plan.ts'

test.each([
  ['1', [1]],
  ['8', [1, 2, 4, 8]],
  ['12', [1, 2, 4, 8, 12]],
  ['1,2,4,8', [1, 2, 4, 8]],
  [' 5 , 50,10000', [5, 50, 10_000]],
])('%j climbs %j', (text, rungs) => {
  expect(parseLadder(text)).toEqual(rungs)
})

test.each(['', '0', '-1', '1.5', 'max', '1,,2', '2,1', '1,1', '10001', '1,10001', '1e3'])(
  '%j is no ladder',
  (text) => {
    expect(parseLadder(text)).toBeUndefined()
  },
)

test('a ladder has a hundred rungs at most', () => {
  const rungs = Array.from({ length: 101 }, (_, i) => i + 1)
  expect(parseLadder(rungs.slice(1).join(','))).toHaveLength(100)
  expect(parseLadder(rungs.join(','))).toBeUndefined()
})

test('the first pass rises, the others visit every rung once, each in an order of its own', () => {
  const ladder = [1, 2, 4, 8, 16, 32, 64]
  const order = visitOrder(ladder, 6, 42)
  const passes = [1, 2, 3, 4, 5, 6].map((pass) =>
    order.filter((visit) => visit.pass === pass).map(({ connections }) => connections),
  )
  expect(order.map(({ pass }) => pass)).toEqual(order.map((_, at) => 1 + Math.floor(at / 7)))
  expect(passes[0]).toEqual(ladder)
  for (const pass of passes) expect(pass.toSorted((a, b) => a - b)).toEqual(ladder)
  expect(new Set(passes.map(String)).size).toBe(6)
  expect(visitOrder(ladder, 6, 42)).toEqual(order)
  expect(visitOrder(ladder, 6, 43)).not.toEqual(order)
})

test('a budget is shared so that every connection of every rung gets as much', () => {
  expect(shareOfBudget(7_000, [1, 2, 4])).toBe(1_000)
  expect(shareOfBudget(6_000, [2, 4])).toBe(2_000)
  expect(shareOfBudget(4_000, [4])).toBe(4_000)
})

test('ten requests a connection are the least that a rung is climbed with', () => {
  expect(shareOfBudget(30, [1, 2, 4])).toBe(10)
  expect(shareOfBudget(20, [2, 4])).toBe(20)
  expect(shareOfBudget(39, [4])).toBeNull()
})

test('no ladder takes more than its budget, and every rung that is climbed is fed', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 12 }),
      fc.nat(100_000),
      (connections, budget) => {
        const rungs = connections.toSorted((a, b) => a - b)
        let left = budget
        for (const [at, rung] of rungs.entries()) {
          const share = shareOfBudget(left, rungs.slice(at))
          if (share === null) break
          expect(share).toBeGreaterThanOrEqual(10 * rung)
          left -= share
        }
        expect(left).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
