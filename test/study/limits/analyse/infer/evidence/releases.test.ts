/** Counts in headers are of the time at which the answer left, where requests are held back. */
import { expect, test } from 'vitest'
import type { Grouped } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import { groupsOf } from '../../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import type { LimiterAnswer } from '../../../../../../src/study/limits/analyse/infer/interface.ts'

const TURN_MS = 500
/** One way and back, without a wait. */
const TRIP_MS = 20

function accepted(sentMs: number, receivedMs: number, left: number): LimiterAnswer {
  const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': `${left}` }
  return { sentMs, receivedMs, answer: 'accepted', status: 200, headers }
}

/** One request, and six at once, of which each but the first leaves a turn after the one before. */
function held(leftOf: (i: number) => number): LimiterAnswer[] {
  const burst = Array.from({ length: 6 }, (_, i) =>
    accepted(1_000, 1_000 + TRIP_MS + i * TURN_MS, leftOf(i)),
  )
  return [accepted(0, TRIP_MS, 9), ...burst]
}

function countsIn({ groups }: Grouped): unknown[] {
  return groups.map(({ accepted: requests, left, firstMs }) => ({
    requests,
    left: left?.count ?? null,
    nearMs: Math.round(firstMs / 100) * 100,
  }))
}

test('counts that rise as a burst is released stand by themselves, each at its release', () => {
  const grouped = groupsOf(
    held((i) => 4 + i),
    '10',
  )
  expect(countsIn(grouped)).toEqual([
    { requests: 1, left: null, nearMs: 0 },
    { requests: 0, left: 9, nearMs: 0 },
    // The first was answered while others may still have been on their way.
    { requests: 6, left: 4, nearMs: 1_000 },
    ...[1, 2, 3, 4, 5].map((i) => ({ requests: 0, left: 4 + i, nearMs: 1_000 + i * TURN_MS })),
  ])
  expect(grouped.turn!.ms).toBeCloseTo(TURN_MS)
  expect(grouped.others).toBe(0)
})

test('counts that fall were told at arrival, and are of the group', () => {
  expect(
    countsIn(
      groupsOf(
        held((i) => 9 - i),
        '10',
      ),
    ),
  ).toEqual([
    { requests: 1, left: 9, nearMs: 0 },
    { requests: 6, left: 4, nearMs: 1_000 },
  ])
})

test('a count that a request may have changed before it was written is left out', () => {
  const evidence = [...held((i) => 4 + i), accepted(2_505, 4_020, 9)]
  const left = groupsOf(evidence, '10').groups.map((group) => group.left?.count)
  expect(left).toContain(6)
  expect(left).not.toContain(7)
  expect(left).toContain(8)
})

test('an answer that overtook the one before it is not a request of another client', () => {
  const turnMs = 60
  const evidence = Array.from({ length: 8 }, (_, i) =>
    accepted(1_000, 1_000 + TRIP_MS + i * turnMs, 2 + i),
  )
  const late = evidence[4]!
  evidence[4] = { ...late, receivedMs: late.receivedMs + turnMs + 5 }
  const grouped = groupsOf(evidence, '10')
  expect(grouped.others).toBe(0)
  const counts = grouped.groups.flatMap(({ left }) => left?.count ?? [])
  expect(counts).toEqual([...counts].sort((x, y) => x - y))
  expect(counts).toEqual(expect.arrayContaining([5, 6, 7, 8]))
})

test('how far answers stray from an even course tells the jitter, and not how long they waited', () => {
  const jittered = held((i) => 4 + i)
  for (const [i, one] of jittered.entries()) one.receivedMs += (i % 3) * 10
  const { sigmaMs, tripMs } = groupsOf(jittered, '10').timing
  expect(sigmaMs).toBeGreaterThan(5)
  expect(sigmaMs).toBeLessThan(20)
  expect(tripMs).toBeLessThan(2 * TRIP_MS + 40)
})

test('what is sent once an answer has come is of a group of its own', () => {
  const evidence = [0, 12, 24].map((ms) => accepted(ms, ms + 12, 9))
  expect(groupsOf(evidence).groups.map((group) => group.accepted)).toEqual([1, 1, 1])
})
