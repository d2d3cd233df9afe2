/** One execution replayed: polls and detection delay by hand. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { PollingPolicy } from '../../../../src/scenario/polling/index.ts'
import type { Life } from '../../../../src/study/polling/analyse/replay/replay.ts'
import { replayPolls, requestTimesOf } from '../../../../src/study/polling/analyse/replay/replay.ts'
import { recordingOf } from './subjects.ts'

const NONE = recordingOf([], { requestMicros: [] })
const LIFE: Life = { endMicros: 60, deadlineMicros: 1_000, completionsMicros: null }

function fixed(everyMicros: number, initialDelayMicros = everyMicros): PollingPolicy {
  return { kind: 'fixed', everyMicros, initialDelayMicros }
}

function replayed(
  policy: PollingPolicy,
  life: Partial<Life> = {},
  took = 0,
  failed: readonly number[] = [],
  hints: Record<number, number> = {},
) {
  const pauseMicros = (_: number, poll: number): number | null => (failed.includes(poll) ? 5 : null)
  const hintMicros = (_: number, poll: number): number => hints[poll] ?? 0
  const requests = { tookMicros: () => took, pauseMicros, hintMicros }
  return replayPolls(policy, { ...LIFE, ...life }, { requests, life: 0, random: createRandom(1) })
}

describe('polls and delay', () => {
  test.each([
    ['every 7: the ninth poll, at 63', fixed(7), 9, 3],
    ['every 60: it sees the end as it comes', fixed(60), 1, 0],
    ['every 61', fixed(61), 1, 1],
    ['after 58, then every 4', fixed(4, 58), 2, 2],
    [
      'a schedule whose last interval repeats',
      { kind: 'schedule', intervalsMicros: [30, 20] },
      3,
      10,
    ],
  ] as [string, PollingPolicy, number, number][])('%s', (_, policy, polls, delayMicros) => {
    expect(replayed(policy)).toEqual({ polls, delayMicros })
  })

  test.each([
    ['before the poll that would see the end', { pushedMicros: 62 }, 8, 2],
    ['as that poll is due', { pushedMicros: 63 }, 8, 3],
    ['after that poll', { pushedMicros: 64 }, 9, 3],
    ['before the deadline, when no poll follows', { pushedMicros: 62, deadlineMicros: 63 }, 8, 2],
    ['after the deadline', { pushedMicros: 62, deadlineMicros: 61 }, 8, null],
  ])('a push ends the polling: %s', (_, life, polls, delayMicros) => {
    expect(replayed(fixed(7), life)).toEqual({ polls, delayMicros })
  })

  test('a push that comes during a poll is heard before its answer', () => {
    const life = { endMicros: 26, pushedMicros: 27 }
    expect(replayed(fixed(10), life, 4)).toEqual({ polls: 2, delayMicros: 1 })
    expect(replayed(fixed(10), { ...life, endMicros: 27 }, 4)).toEqual({ polls: 2, delayMicros: 0 })
  })

  test('an interval counts from the answer before, and half of a request is over at the look', () => {
    // Polls at 10, 24 and so on: each takes 4, and the target looks 2 after it was sent.
    expect(replayed(fixed(10), { endMicros: 26 }, 4)).toEqual({ polls: 2, delayMicros: 2 })
    expect(replayed(fixed(10), { endMicros: 27 }, 4)).toEqual({ polls: 3, delayMicros: 15 })
  })

  test('a poll that is not answered tells nothing, and is repeated after a pause', () => {
    expect(replayed(fixed(60), {}, 0, [0])).toEqual({ polls: 2, delayMicros: 5 })
    expect(replayed(fixed(60), {}, 4, [0, 1])).toEqual({ polls: 3, delayMicros: 22 })
    // The intervals go on where they were: the second comes after the poll that was repeated.
    const policy: PollingPolicy = { kind: 'schedule', intervalsMicros: [30, 20, 50] }
    expect(replayed(policy, {}, 0, [0])).toEqual({ polls: 4, delayMicros: 45 })
  })

  test('a hint delays the next poll of a policy that obeys it, and of no other', () => {
    // Asked for 25 by the kickoff and for 30 by the first poll: polls at 25, 55 and 65.
    const hints = { [-1]: 25, 0: 30, 1: 5 }
    const obedient: PollingPolicy = { ...fixed(10), hint: 'obey' }
    expect(replayed(obedient, {}, 0, [], hints)).toEqual({ polls: 3, delayMicros: 5 })
    expect(replayed(fixed(10), {}, 0, [], hints)).toEqual({ polls: 6, delayMicros: 0 })
    // A poll that fails is repeated after its pause, whatever an answer before it asked for.
    expect(replayed(obedient, {}, 0, [0], hints)).toEqual({ polls: 5, delayMicros: 0 })
  })

  test('no poll is sent at the deadline: the end is never known', () => {
    expect(replayed(fixed(10), { deadlineMicros: 60 })).toEqual({ polls: 5, delayMicros: null })
    expect(replayed(fixed(10), { deadlineMicros: 61 })).toEqual({ polls: 6, delayMicros: 0 })
  })

  test('one that never ends is polled until its deadline', () => {
    const never = { endMicros: Infinity, deadlineMicros: 100 }
    expect(replayed(fixed(10), never)).toEqual({ polls: 9, delayMicros: null })
  })

  test('progress is what the poll before saw', () => {
    const policy: PollingPolicy = {
      kind: 'progress',
      minMicros: 1,
      maxMicros: 40,
      pollsPerTask: 0.5,
    }
    // 1, then 2, 6, 18 after it while nothing is completed; at 27 one of two tasks: then 40.
    const life = { completionsMicros: [20, 60], endMicros: 60 }
    expect(replayed(policy, life)).toEqual({ polls: 5, delayMicros: 7 })
  })
})

test('as many polls fail as did, whatever life or poll asks', () => {
  const times = requestTimesOf({
    ...NONE,
    failures: { polls: 10, failed: 2, pausesMicros: [7, 8] },
  })
  const isAnswered = (life: number, poll: number): boolean => times.pauseMicros(life, poll) === null
  const shareFailed = (number: (i: number) => [number, number]): number =>
    Array.from({ length: 5_000 }, (_, i) => isAnswered(...number(i))).filter((each) => !each)
      .length / 5_000
  expect(shareFailed((i) => [i, 0])).toBeCloseTo(0.2, 1)
  expect(shareFailed((i) => [3, i])).toBeCloseTo(0.2, 1)
  // One after another that failed: a fifth of a fifth.
  const twice = Array.from({ length: 5_000 }, (_, i) => !isAnswered(i, 1) && !isAnswered(i, 2))
  expect(twice.filter(Boolean).length / 5_000).toBeGreaterThan(0.03)
  expect(twice.filter(Boolean).length / 5_000).toBeLessThan(0.05)
  const pauses = Array.from({ length: 100 }, (_, i) => times.pauseMicros(i, 0))
  expect(new Set(pauses)).toEqual(new Set([null, 7, 8]))
  expect(requestTimesOf(NONE).pauseMicros(1, 1)).toBeNull()
})

test('as many answers hint at a wait as did', () => {
  const hints = {
    kickoff: { answers: 10, waitsMicros: Array.from({ length: 10 }, () => 3) },
    polls: { answers: 10, waitsMicros: [7, 8] },
    exhausted: 0,
  }
  const times = requestTimesOf({ ...NONE, hints })
  const seen = Array.from({ length: 5_000 }, (_, i) => times.hintMicros(i % 50, Math.floor(i / 50)))
  expect(seen.filter((each) => each > 0).length / 5_000).toBeCloseTo(0.2, 1)
  expect(new Set(seen)).toEqual(new Set([0, 7, 8]))
  expect(times.hintMicros(17, -1)).toBe(3)
  expect(requestTimesOf(NONE).hintMicros(1, 1)).toBe(0)
})

test('request times are those that were measured, whatever asks for them', () => {
  const measured = Array.from({ length: 2_000 }, (_, i) => i)
  const times = requestTimesOf({ ...NONE, requestMicros: measured })
  const seen = Array.from({ length: 5_000 }, (_, i) => times.tookMicros(i % 50, Math.floor(i / 50)))
  const mean = seen.reduce((sum, value) => sum + value, 0) / seen.length
  expect(mean).toBeGreaterThan(950)
  expect(mean).toBeLessThan(1_050)
  expect(requestTimesOf(NONE).tookMicros(3, 4)).toBe(0)
  expect(times.tookMicros(1, 1)).toBe(times.tookMicros(1, 1))
})
