import { expect, it } from 'vitest'
import { Admission } from '../../src/engine/admission.ts'
import type { Arrival } from '../../src/execution/machine.ts'
import { closed, rate } from './plans.ts'

const open = rate('1/s', '1m')

function arrival(index: number): Arrival {
  return { index, instance: 0, intendedMicros: index, warmUp: false }
}

it('admits everybody without a limit', () => {
  const admission = new Admission({
    admission: { maxInFlight: null, whenFull: 'drop' },
    arrivals: open,
  })
  const answers = Array.from({ length: 1_000 }, (_, i) => admission.offer(arrival(i)))
  expect(new Set(answers)).toEqual(new Set(['admitted']))
})

it('gives a free place to who waited longest, not to who comes just then', () => {
  const admission = new Admission({
    admission: { maxInFlight: 1, whenFull: 'queue' },
    arrivals: open,
  })
  expect([admission.offer(arrival(0)), admission.offer(arrival(1))]).toEqual(['admitted', 'waits'])
  admission.leave()
  expect(admission.offer(arrival(2))).toBe('waits')
  expect(admission.next()?.index).toBe(1)
  expect(admission.next()).toBeUndefined()
})

it('turns away who finds it full, but no closed client', () => {
  const limits = { maxInFlight: 1, whenFull: 'drop' } as const
  const answers = [open, closed()].map((arrivals) => {
    const admission = new Admission({ admission: limits, arrivals })
    admission.offer(arrival(0))
    return admission.offer(arrival(1))
  })
  expect(answers).toEqual(['full', 'waits'])
})

it('keeps the order of a long queue', () => {
  const admission = new Admission({
    admission: { maxInFlight: 1, whenFull: 'queue' },
    arrivals: open,
  })
  for (let i = 0; i <= 5_000; i++) admission.offer(arrival(i))
  const order = Array.from({ length: 5_000 }, () => admission.turnAway()!.index)
  expect(order.every((index, i) => index === i + 1)).toBe(true)
  expect(admission.waiting).toBe(0)
})

it('takes one place too many given back for a bug of ours', () => {
  const admission = new Admission({
    admission: { maxInFlight: 1, whenFull: 'queue' },
    arrivals: open,
  })
  expect(() => admission.leave()).toThrow(/more executions ended/)
})
