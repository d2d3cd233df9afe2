/** Who waited for whom, by hand and by sums. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import { fairSharesOf, longWaitsOf } from '../../../src/result/ledger/fairness.ts'

type Times = [part: string, accepted: number, started: number | null, ended: number | null]

function rowsOf(times: readonly Times[]): LedgerRow[] {
  return times.map(([part, accepted_ms, started_ms, ended_ms], ordinal) => ({
    kickoff_id: String(ordinal),
    ordinal,
    correlation: `${part}/${ordinal}`,
    accepted_ms,
    started_ms,
    ended_ms,
    outcome: ended_ms === null ? 'running' : 'completed',
    tasks: [],
    output_hash: null,
  }))
}

function sharesOf(times: readonly Times[]): ReturnType<typeof fairSharesOf> {
  return fairSharesOf(rowsOf(times), ['a', 'b'], (correlation) => {
    const part = correlation?.split('/')[0]
    return part === 'a' || part === 'b' ? part : undefined
  })
}

test('a wait is divided by whose executions had the workers meanwhile', () => {
  const [a, b] = sharesOf([
    // Two workers: for 10 ms one of each, then for 20 ms both of b.
    ['a', 0, 0, 10],
    ['b', 0, 0, 30],
    ['b', 0, 10, 30],
    ['a', 0, 30, 40],
  ])
  expect(a).toEqual({
    part: 'a',
    executions: 2,
    busyMs: 20,
    waitMs: 30,
    longestWaitMs: 30,
    behind: [
      { part: 'a', ms: 5 },
      { part: 'b', ms: 25 },
    ],
  })
  expect(b).toMatchObject({
    busyMs: 50,
    waitMs: 10,
    behind: [
      { part: 'a', ms: 5 },
      { part: 'b', ms: 5 },
    ],
  })
})

test.each([
  { waitMs: 100, own: 20, found: { most: { part: 'b', share: 0.5 }, isForOthers: true } },
  { waitMs: 1_000, own: 949, found: { most: { part: 'b', share: 0.05 }, isForOthers: false } },
  { waitMs: 100, own: 100, behindB: 0, found: { most: null, isForOthers: false } },
])('a wait of $waitMs ms, $own ms of it behind itself', ({ waitMs, own, behindB = 50, found }) => {
  const behind = [
    { part: 'a', ms: own },
    { part: 'b', ms: behindB },
    { part: null, ms: behindB === 0 ? 0 : 1 },
  ]
  const share = { part: 'a', executions: 20, busyMs: 500, waitMs, longestWaitMs: 9, behind }
  expect(longWaitsOf([share])).toEqual([
    { part: 'a', executions: 20, meanMs: waitMs / 20, ...found },
  ])
  expect(longWaitsOf([{ ...share, executions: 19 }])).toEqual([])
  expect(longWaitsOf([{ ...share, busyMs: 5 * waitMs + 1 }])).toEqual([])
  expect(longWaitsOf([{ ...share, part: null }])).toEqual([])
})

test('a wait while nothing is at work is behind nobody; strangers are told apart', () => {
  const [a, , others] = sharesOf([
    ['a', 0, 10, 20],
    ['x', 12, 12, 40],
    ['a', 20, null, null],
  ])
  expect(a).toMatchObject({ waitMs: 30, longestWaitMs: 20 })
  expect(a!.behind).toEqual([
    { part: 'a', ms: 0 },
    { part: 'b', ms: 0 },
    { part: null, ms: 20 },
  ])
  expect(others).toMatchObject({ part: null, executions: 1, busyMs: 28 })
})

test('what is behind somebody is never more than the wait, and every execution is counted', () => {
  const time = fc.integer({ min: 0, max: 1_000 })
  const times = fc
    .tuple(fc.constantFrom('a', 'b', 'x'), time, time, time)
    .map(([part, at, wait, busy]): Times => [part, at, at + wait, at + wait + busy])
  fc.assert(
    fc.property(fc.array(times, { maxLength: 40 }), (list) => {
      const shares = sharesOf(list)
      const sum = shares.reduce((total, { executions }) => total + executions, 0)
      expect(sum).toBe(list.length)
      for (const { waitMs, behind } of shares) {
        const total = behind.reduce((all, { ms }) => all + ms, 0)
        expect(total).toBeLessThanOrEqual(waitMs + 1e-6)
      }
    }),
  )
})
