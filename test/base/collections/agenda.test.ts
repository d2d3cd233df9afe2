import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Agenda } from '../../../src/base/collections/agenda.ts'
import type { Sleeper } from '../../../src/base/collections/agenda.ts'

function agendaOf(count: number): { agenda: Agenda<Sleeper>; sleepers: Sleeper[] } {
  const sleepers = Array.from({ length: count }, () => ({ wakeMicros: Infinity }))
  return { agenda: new Agenda(new Set(sleepers)), sleepers }
}

test('wakes each sleeper once, at the last time it asked for, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(100)), { maxLength: 60 }), (asked) => {
      const { agenda, sleepers } = agendaOf(10)
      for (const [who, at] of asked) agenda.wake(sleepers[who]!, at)
      const woken: [Sleeper, number][] = []
      while (agenda.nextDueMicros < Infinity) {
        const due = agenda.nextDueMicros
        const sleeper = agenda.pop()
        if (sleeper !== undefined) woken.push([sleeper, due])
      }
      const last = new Map(asked.map(([who, at]) => [sleepers[who]!, at]))
      expect(new Map(woken)).toEqual(last)
      expect(woken).toHaveLength(last.size)
      expect(woken.every(([, due], i) => i === 0 || woken[i - 1]![1] <= due)).toBe(true)
    }),
    { seed: 2, numRuns: 200 },
  )
})

test('holds no more than the stale entries it allows, however often wakes are replaced', () => {
  const { agenda, sleepers } = agendaOf(2)
  for (let at = 1_000_000; at > 0; at--) agenda.wake(sleepers[at % 2]!, at)
  let entries = 0
  for (; agenda.nextDueMicros < Infinity; entries++) agenda.pop()
  expect(entries).toBeLessThanOrEqual(1_024 + 4)
})
