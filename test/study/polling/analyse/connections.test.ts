/** Whether an interval keeps its connection, and what opening one takes. */
import { describe, expect, test } from 'vitest'
import { freshShareAt, handshakeMicros } from '../../../../src/study/polling/analyse/strategies.ts'
import type { PollGap } from '../../../../src/study/polling/analyse/replay/recording.ts'
import { SECOND } from './subjects.ts'

/** Polls after a gap, of which the first `fresh` opened a connection. */
function polls(count: number, gapSeconds: number, fresh: number): PollGap[] {
  return Array.from({ length: count }, (_, i) => ({
    gapMicros: gapSeconds * SECOND,
    fresh: i < fresh,
    tookMicros: i < fresh ? 30_000 : 5_000,
  }))
}

describe('share of polls that open a connection', () => {
  test('as observed at gaps near it', () => {
    expect(freshShareAt(polls(20, 5, 4), 5 * SECOND)).toBe(0.2)
    expect(freshShareAt([...polls(20, 5, 4), ...polls(20, 9, 20)], 5.5 * SECOND)).toBe(0.2)
  })

  test('a server that closes idle connections closes those that are idle for longer', () => {
    expect(freshShareAt([...polls(50, 2, 0), ...polls(20, 6, 20)], 30 * SECOND)).toBe(1)
  })

  test('a server that keeps idle connections keeps those that are idle for less', () => {
    expect(freshShareAt([...polls(20, 20, 0), ...polls(9, 5, 9)], 5 * SECOND)).toBe(0)
  })

  test('not known where no poll tells', () => {
    expect(freshShareAt(polls(20, 2, 0), 30 * SECOND)).toBeNull()
    expect(freshShareAt(polls(20, 60, 20), 5 * SECOND)).toBeNull()
    expect(freshShareAt(polls(9, 5, 9), 5 * SECOND)).toBeNull()
  })
})

test('a handshake takes what polls with one take longer, in the median', () => {
  expect(handshakeMicros(polls(40, 5, 20))).toBe(25_000)
  expect(handshakeMicros(polls(40, 5, 9))).toBeNull()
})
