/** When a fault is on, seen as clients see one that refuses their connections. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FaultTime } from '../../../fake-crew/model/faults/fault.ts'
import type { FaultSet } from '../../../fake-crew/model/faults/faults.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import { Client } from '../client.ts'
import { SECOND, constant, sampleProfile } from '../sample-profile.ts'

/** As many spans as are reported. */
const SPANS_TOLD = 1_000

const [REFUSES] = parseFaults('[{ refuse: {}, window: { for: 1s } }]', 'faults')

/** A crew's faults, of which there is one, added at `zeroMicros`. */
function refusing(time: FaultTime | null, { zeroMicros = 0, seed = 1, speed = 1 } = {}): FaultSet {
  const { faults } = new Client(sampleProfile({ seed, speed })).crew
  faults.add([{ ...REFUSES!, time }], zeroMicros)
  return faults
}

function micros(seconds: number | null): number | null {
  return seconds === null ? null : seconds * SECOND
}

function window(from: number, length: number | null, every: number | null): FaultTime {
  return {
    kind: 'window',
    fromMicros: from * SECOND,
    forMicros: micros(length),
    everyMicros: micros(every),
  }
}

/** Whether it is on at each of these seconds. */
function onAt(faults: FaultSet, seconds: readonly number[]): boolean[] {
  return seconds.map((second) => faults.connectionState(second * SECOND).refusing)
}

/** When it is next turned on or off, in seconds. */
function turnAfter(faults: FaultSet, second: number): number {
  return faults.connectionState(second * SECOND).untilMicros / SECOND
}

/** The spans that have begun by then, in seconds; null for an end that is yet to come. */
function pastAt(faults: FaultSet, second: number): [number, number | null][] {
  const [refused] = faults.spells(second * SECOND)
  return refused!.spells.map(({ from_ms: from, to_ms: to }) => [
    from / 1_000,
    to === null ? null : to / 1_000,
  ])
}

describe('windows', () => {
  test.each<[string, FaultTime | null, number[], boolean[]]>([
    ['no time is always', null, [0, 1e6], [true, true]],
    ['from and for', window(2, 3, null), [1.9, 2, 4.9, 5, 99], [false, true, true, false, false]],
    ['without for: for good', window(2, null, null), [1, 2, 1e6], [false, true, true]],
    ['every', window(1, 1, 10), [0, 1, 2, 11.5, 12, 21], [false, true, false, true, false, true]],
  ])('%s', (_, time, seconds, on) => {
    expect(onAt(refusing(time), seconds)).toEqual(on)
  })

  test('tell what was last and what is next', () => {
    const faults = refusing(window(1, 1, 10))
    expect([pastAt(faults, 0), turnAfter(faults, 0)]).toEqual([[], 1])
    expect([turnAfter(faults, 1), turnAfter(faults, 2), turnAfter(faults, 11)]).toEqual([2, 11, 12])
    expect(pastAt(faults, 15).at(-1)).toEqual([11, 12])
    expect(turnAfter(refusing(window(1, 1, null)), 2)).toBe(Infinity)
  })

  test('are remembered, the last of them', () => {
    const faults = refusing(window(1, 1, 10))
    expect(pastAt(faults, 0.5)).toEqual([])
    expect(pastAt(faults, 12)).toEqual([
      [1, 2],
      [11, 12],
    ])
    const past = pastAt(faults, 1e6)
    expect([past.length, past.at(-1)]).toEqual([SPANS_TOLD, [999_991, 999_992]])
  })

  test('count from their zero', () => {
    const faults = refusing(window(1, 1, 4), { zeroMicros: 100 * SECOND })
    expect(onAt(faults, [100, 101, 102, 105, 106])).toEqual([false, true, false, true, false])
  })

  test('hold at their own beginning, whatever the rounding', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 2, max: 1_000_000 }),
        fc.double({ min: 0.1, max: 1_000, noNaN: true }),
        (number, every, speed) => {
          const time = { kind: 'window', fromMicros: 7, forMicros: 1, everyMicros: every } as const
          const faults = refusing(time, { zeroMicros: 3, speed })
          const before = faults.connectionState(3 + (number * every) / speed)
          const { untilMicros: fromMicros } = before.refusing
            ? faults.connectionState(before.untilMicros)
            : before
          const [refused] = faults.spells(fromMicros)
          expect(refused!.spells.at(-1)!.from_ms).toBe(fromMicros / 1_000)
          expect(faults.connectionState(fromMicros).refusing).toBe(true)
        },
      ),
    )
  })
})

describe('episodes', () => {
  test('begin off, and take turns', () => {
    const time: FaultTime = { kind: 'episodes', off: constant(3 * SECOND), on: constant(SECOND) }
    expect(onAt(refusing(time), [0, 2.9, 3, 3.9, 4, 7, 8])).toEqual([
      false,
      false,
      true,
      true,
      false,
      true,
      false,
    ])
  })

  test('are the same whenever they are looked at', () => {
    const time: FaultTime = {
      kind: 'episodes',
      off: { kind: 'uniform', min: 0, max: 20 * SECOND },
      on: { kind: 'gamma', mean: 5 * SECOND, cv: 2 },
    }
    const often = refusing(time, { seed: 5 })
    for (let second = 0; second < 1_000; second++) onAt(often, [second])
    const seldom = pastAt(refusing(time, { seed: 5 }), 1_000)
    expect(seldom).toEqual(pastAt(often, 1_000))
    expect(pastAt(refusing(time, { seed: 6 }), 1_000)).not.toEqual(seldom)
  })

  test('are remembered, the last of them', () => {
    const faults = refusing({ kind: 'episodes', off: constant(SECOND), on: constant(SECOND) })
    expect(pastAt(faults, 0)).toEqual([])
    expect(pastAt(faults, 4)).toEqual([
      [1, 2],
      [3, 4],
    ])
    const past = pastAt(faults, 10_000)
    expect([past.length, past.at(-1)]).toEqual([SPANS_TOLD, [9_999, 10_000]])
  })

  test('of no length at all still let time go on', () => {
    const faults = refusing({ kind: 'episodes', off: constant(0), on: constant(0) })
    expect(faults.connectionState(1_000).untilMicros).toBeGreaterThan(1_000)
  })
})
