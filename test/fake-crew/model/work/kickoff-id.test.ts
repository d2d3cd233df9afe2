import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKickoffIds } from '../../../../fake-crew/model/work/kickoff-id.ts'
import { createRandom } from '../../../../src/base/random.ts'

const ids = createKickoffIds(createRandom(1))
const others = createKickoffIds(createRandom(2))
const ordinals = fc.integer({ min: 0, max: 2 ** 48 - 1 })

describe('kickoff ids', () => {
  test('are UUIDs of version 4', () => {
    fc.assert(
      fc.property(ordinals, (ordinal) => {
        expect(ids.idOf(ordinal)).toMatch(
          /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        )
      }),
      { seed: 3 },
    )
  })

  test('give their ordinal back, in either case', () => {
    fc.assert(
      fc.property(ordinals, (ordinal) => {
        const id = ids.idOf(ordinal)
        expect([id, id.toUpperCase()].map((text) => ids.ordinalOf(text))).toEqual([
          ordinal,
          ordinal,
        ])
      }),
      { seed: 3 },
    )
  })

  test('are refused under another key', () => {
    fc.assert(
      fc.property(ordinals, (ordinal) => {
        expect(ids.ordinalOf(others.idOf(ordinal))).toBeUndefined()
      }),
      { seed: 3 },
    )
  })

  test('are refused when one digit is changed', () => {
    const id = ids.idOf(17)
    for (let place = 0; place < id.length; place++) {
      const digit = id[place] === '7' ? '8' : '7'
      expect(ids.ordinalOf(id.slice(0, place) + digit + id.slice(place + 1))).toBeUndefined()
    }
  })

  test('differ for each of 10,000 ordinals', () => {
    const seen = new Set(Array.from({ length: 10_000 }, (_, ordinal) => ids.idOf(ordinal)))
    expect(seen.size).toBe(10_000)
  })

  test.each(['', 'abc', 'abcd1234-5678-90ef-ghij-klmnopqrstuv', '../../etc/passwd'])(
    'refuses %j',
    (id) => {
      expect(ids.ordinalOf(id)).toBeUndefined()
    },
  )
})
