import {
  array,
  assert,
  constant,
  integer,
  maxSafeInteger,
  nat,
  oneof,
  property,
  record,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteArena, ByteList } from '../../../src/base/collections/byte-arena.ts'

const anInteger = oneof(
  integer({ min: -70, max: 130 }),
  integer({ min: -20_000, max: 20_000 }),
  maxSafeInteger().map((value) => Math.trunc(value / 2)),
)

/** What is done to the list of that number. */
const step = record({
  list: nat({ max: 5 }),
  what: oneof(
    { weight: 12, arbitrary: anInteger },
    { weight: 1, arbitrary: constant('release' as const) },
  ),
})

/** How many bytes it takes in a list. */
function bytesOf(value: number): number {
  const list = new ByteList(new ByteArena())
  list.push(value)
  const reader = list.reader()
  let bytes = 1
  while (reader.byte() >= 128) bytes++
  return bytes
}

describe('lists of bytes in one arena', () => {
  test('each gives back what was pushed since it was released', () => {
    assert(
      property(array(step, { maxLength: 400 }), (steps) => {
        const arena = new ByteArena()
        const lists = Array.from({ length: 6 }, () => new ByteList(arena))
        const expected: number[][] = lists.map(() => [])
        for (const { list, what } of steps) {
          if (what === 'release') {
            lists[list]!.release()
            expected[list] = []
          } else {
            lists[list]!.push(what)
            expected[list]!.push(what)
          }
        }
        for (const [i, list] of lists.entries()) {
          const reader = list.reader()
          expect(expected[i]!.map(() => reader.integer())).toEqual(expected[i])
        }
      }),
      { numRuns: 300, seed: 11 },
    )
  })

  test('an integer takes as many bytes as its size needs', () => {
    expect([63, 64, -64, -65, 8_191, 8_192, 1_048_575, 1_048_576].map(bytesOf)).toEqual([
      1, 2, 1, 2, 2, 3, 3, 4,
    ])
  })

  test('what a list held is used again', () => {
    const taken: number[] = []
    class Counting extends ByteArena {
      override take(): number {
        const chunk = super.take()
        taken.push(chunk)
        return chunk
      }
    }
    const arena = new Counting()
    for (let round = 0; round < 50; round++) {
      const list = new ByteList(arena)
      for (let i = 0; i < 1_000; i++) list.pushByte(i % 256)
      list.release()
      list.release()
    }
    expect(taken).toHaveLength(50 * 32)
    expect(new Set(taken).size).toBe(32)
  })
})
