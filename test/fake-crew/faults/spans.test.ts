import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FaultTime } from '../../../fake-crew/model/faults/fault.ts'
import type { FaultSpan, Spans } from '../../../fake-crew/model/faults/spans.ts'
import { SPANS_TOLD, createSpans, spanAt } from '../../../fake-crew/model/faults/spans.ts'
import { createRandom } from '../../../src/base/random.ts'
import { SECOND, constant } from '../sample-profile.ts'

function spansOf(time: FaultTime | null, { zeroMicros = 0, seed = 1 } = {}): Spans {
  return createSpans(time, { zeroMicros, random: createRandom(seed) })
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
function onAt(spans: Spans, seconds: readonly number[]): boolean[] {
  return seconds.map((second) => spanAt(spans, second * SECOND) !== null)
}

function inSeconds(span: FaultSpan | null): [number, number] | null {
  return span === null ? null : [span.fromMicros / SECOND, span.untilMicros / SECOND]
}

describe('windows', () => {
  test.each<[string, FaultTime | null, number[], boolean[]]>([
    ['no time is always', null, [0, 1e6], [true, true]],
    ['from and for', window(2, 3, null), [1.9, 2, 4.9, 5, 99], [false, true, true, false, false]],
    ['without for: for good', window(2, null, null), [1, 2, 1e6], [false, true, true]],
    ['every', window(1, 1, 10), [0, 1, 2, 11.5, 12, 21], [false, true, false, true, false, true]],
  ])('%s', (_, time, seconds, on) => {
    expect(onAt(spansOf(time), seconds)).toEqual(on)
  })

  test('tell what was last and what is next', () => {
    const spans = spansOf(window(1, 1, 10))
    expect([spans.last(0), inSeconds(spans.next(0))]).toEqual([null, [1, 2]])
    expect(inSeconds(spans.next(1 * SECOND))).toEqual([11, 12])
    expect(inSeconds(spans.last(15 * SECOND))).toEqual([11, 12])
    expect(spansOf(window(1, 1, null)).next(1 * SECOND)).toBeNull()
  })

  test('are remembered, the last of them', () => {
    const spans = spansOf(window(1, 1, 10))
    expect(spans.past(SECOND / 2)).toEqual([])
    expect(spans.past(12 * SECOND).map(inSeconds)).toEqual([
      [1, 2],
      [11, 12],
    ])
    const past = spans.past(1e6 * SECOND)
    expect([past.length, inSeconds(past.at(-1)!)]).toEqual([SPANS_TOLD, [999_991, 999_992]])
  })

  test('count from their zero', () => {
    const spans = spansOf(window(1, 1, 4), { zeroMicros: 100 * SECOND })
    expect(onAt(spans, [100, 101, 102, 105, 106])).toEqual([false, true, false, true, false])
  })

  test('hold at their own beginning, whatever the rounding', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 2, max: 1_000_000 }),
        fc.double({ min: 0.1, max: 1_000, noNaN: true }),
        (number, every, speed) => {
          const spans = createSpans(
            { kind: 'window', fromMicros: 7, forMicros: 1 / speed, everyMicros: every / speed },
            { zeroMicros: 3, random: createRandom(1) },
          )
          const { fromMicros } = spans.next(3 + (number * every) / speed)!
          expect(spans.last(fromMicros)!.fromMicros).toBe(fromMicros)
          expect(spanAt(spans, fromMicros)).not.toBeNull()
        },
      ),
    )
  })
})

describe('episodes', () => {
  test('begin off, and take turns', () => {
    const time: FaultTime = { kind: 'episodes', off: constant(3 * SECOND), on: constant(SECOND) }
    expect(onAt(spansOf(time), [0, 2.9, 3, 3.9, 4, 7, 8])).toEqual([
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
    const often = spansOf(time, { seed: 5 })
    for (let second = 0; second < 1_000; second++) often.last(second * SECOND)
    const seldom = spansOf(time, { seed: 5 })
    expect(seldom.last(1_000 * SECOND)).toEqual(often.last(1_000 * SECOND))
    expect(spansOf(time, { seed: 6 }).last(1_000 * SECOND)).not.toEqual(often.last(1_000 * SECOND))
  })

  test('are remembered, the last of them', () => {
    const time: FaultTime = { kind: 'episodes', off: constant(SECOND), on: constant(SECOND) }
    const spans = spansOf(time)
    expect(spans.past(0)).toEqual([])
    expect(spans.past(4 * SECOND).map(inSeconds)).toEqual([
      [1, 2],
      [3, 4],
    ])
    const past = spans.past(10_000 * SECOND)
    expect([past.length, inSeconds(past.at(-1)!)]).toEqual([SPANS_TOLD, [9_999, 10_000]])
  })

  test('of no length at all still let time go on', () => {
    const spans = spansOf({ kind: 'episodes', off: constant(0), on: constant(0) })
    expect(spans.next(1_000)!.fromMicros).toBeGreaterThan(1_000)
  })
})
