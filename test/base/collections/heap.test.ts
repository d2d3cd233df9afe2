/** The heaps against a sorted list. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { addTo, DueHeap, replaceLeast } from '../../../src/base/collections/heap.ts'

type Step = { kind: 'push'; due: number } | { kind: 'pop' }

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.nat(20).map((due): Step => ({ kind: 'push', due })) },
    { weight: 2, arbitrary: fc.constant<Step>({ kind: 'pop' }) },
  ),
  { maxLength: 200 },
)

test('any mixture of pushes and pops gives what a stably sorted list gives', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const heap = new DueHeap<number>()
      const reference: { due: number; value: number }[] = []
      for (const [value, step] of list.entries()) {
        if (step.kind === 'push') {
          heap.push(step.due, value)
          reference.push({ due: step.due, value })
          reference.sort((a, b) => a.due - b.due)
        }
        const popped = step.kind === 'pop' ? [heap.pop(), reference.shift()?.value] : []
        expect(popped[0]).toBe(popped[1])
        expect(heap.size).toBe(reference.length)
        expect(heap.nextDue).toBe(reference[0]?.due ?? Infinity)
      }
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('ten thousand entries leave in order', () => {
  const heap = new DueHeap<number>()
  const dues = Array.from({ length: 10_000 }, (_, i) => (i * 7_919) % 10_007)
  for (const due of dues) heap.push(due, due)
  expect(dues.map(() => heap.pop())).toEqual([...dues].sort((a, b) => a - b))
})

test('an empty heap has nothing, and never', () => {
  const heap = new DueHeap<string>()
  expect([heap.pop(), heap.nextDue, heap.size]).toEqual([undefined, Infinity, 0])
})

test('the least of a heap of numbers is first, however they are added and replaced', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { minLength: 1 }), fc.array(fc.nat(40)), (added, others) => {
      const heap: number[] = []
      for (const value of added) addTo(heap, value)
      const columns = Float64Array.from(heap)
      const reference = added.toSorted((a, b) => a - b)
      for (const value of others) {
        expect([heap[0], columns[0]]).toEqual([reference[0], reference[0]])
        replaceLeast(heap, value)
        replaceLeast(columns, value)
        reference[0] = value
        reference.sort((a, b) => a - b)
      }
      expect(heap.toSorted((a, b) => a - b)).toEqual(reference)
      expect([...columns]).toEqual(heap)
    }),
    { seed: 1, numRuns: 200 },
  )
})
