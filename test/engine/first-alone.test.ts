/** Arrivals whose first goes alone: an open schedule moves, closed clients wait. */
import { describe, expect, test } from 'vitest'
import type { ArrivalSource } from '../../src/engine/interface.ts'
import { FirstAlone } from '../../src/engine/arrivals.ts'

function source(dues: number[]): ArrivalSource {
  let next = 0
  return {
    get nextDueMicros() {
      return dues[next] ?? Infinity
    },
    take: () => {
      const intendedMicros = dues[next] ?? -1
      return { index: next++, instance: 0, intendedMicros, warmUp: false }
    },
    ended: () => {},
  }
}

const ENDED = { endedMicros: 70 } as Parameters<ArrivalSource['ended']>[0]

function taken(arrivals: FirstAlone): number[] {
  const at: number[] = []
  while (arrivals.nextDueMicros < Infinity) at.push(arrivals.take().intendedMicros)
  return at
}

describe.each([
  ['open', [110, 115]],
  ['closed', [100, 100]],
] as const)('an %s load', (kind, later) => {
  test('holds the others until the first is answered', () => {
    const arrivals = new FirstAlone(source([10, 20, 25]), kind)
    expect(taken(arrivals)).toEqual([10])
    expect(arrivals.isWaiting).toBe(true)
    arrivals.release(100)
    arrivals.release(500)
    expect(taken(arrivals)).toEqual(later)
    expect(arrivals.isWaiting).toBe(false)
  })

  test('goes on when the first ends without an answer', () => {
    const arrivals = new FirstAlone(source([0, 5]), kind)
    expect(taken(arrivals)).toEqual([0])
    arrivals.ended(ENDED)
    expect(taken(arrivals)).toEqual([kind === 'open' ? 75 : 70])
  })
})

test('clients that come later than the answer come when they meant to', () => {
  const arrivals = new FirstAlone(source([0, 900]), 'closed')
  expect(taken(arrivals)).toEqual([0])
  arrivals.release(100)
  expect(taken(arrivals)).toEqual([900])
})
