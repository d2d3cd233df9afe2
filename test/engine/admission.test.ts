import { expect, test } from 'vitest'
import { AdmissionGate } from '../../src/engine/admission.ts'
import type { DueArrival } from '../../src/execution/machine.ts'
import { closed, rate } from './plans.ts'

const open = rate('1/s', '1m')
const alone = { instance: 0, instances: 1 }

function admissionFor(
  maxInFlight: number | null,
  whenFull: 'queue' | 'drop',
  arrivals = open,
  share = alone,
): AdmissionGate {
  return new AdmissionGate({ admission: { maxInFlight, whenFull }, arrivals }, share)
}

function arrival(index: number): DueArrival {
  return { index, instance: 0, intendedMicros: index, warmUp: false }
}

test('admits everybody without a limit', () => {
  const admission = admissionFor(null, 'drop')
  const answers = Array.from({ length: 1_000 }, (_, i) => admission.offer(arrival(i)))
  expect(new Set(answers)).toEqual(new Set(['admitted']))
})

test('gives a free place to who waited longest, not to who comes just then', () => {
  const admission = admissionFor(1, 'queue')
  expect([admission.offer(arrival(0)), admission.offer(arrival(1))]).toEqual(['admitted', 'waits'])
  admission.leave()
  expect(admission.offer(arrival(2))).toBe('waits')
  expect(admission.next()?.index).toBe(1)
  expect(admission.next()).toBeUndefined()
})

test('turns away who finds it full, but no closed client', () => {
  const answers = [open, closed()].map((arrivals) => {
    const admission = admissionFor(1, 'drop', arrivals)
    admission.offer(arrival(0))
    return admission.offer(arrival(1))
  })
  expect(answers).toEqual(['full', 'waits'])
})

test('keeps the order of a long queue', () => {
  const admission = admissionFor(1, 'queue')
  for (let i = 0; i <= 5_000; i++) admission.offer(arrival(i))
  const order = Array.from({ length: 5_000 }, () => admission.turnAway()!.index)
  expect(order.every((index, i) => index === i + 1)).toBe(true)
  expect(admission.waiting).toBe(0)
})

test('takes one place too many given back for a bug of ours', () => {
  const admission = admissionFor(1, 'queue')
  expect(() => admission.leave()).toThrow(/more executions ended/)
})

test.each([
  [7, 3, [3, 2, 2]],
  [2, 3, [1, 1, 1]],
])('shares %d places between %d instances', (maxInFlight, instances, places) => {
  const admitted = places.map((_, instance) => {
    const admission = admissionFor(maxInFlight, 'drop', open, { instance, instances })
    const answers = Array.from({ length: 10 }, (_, i) => admission.offer(arrival(i)))
    return answers.filter((answer) => answer === 'admitted').length
  })
  expect(admitted).toEqual(places)
})
