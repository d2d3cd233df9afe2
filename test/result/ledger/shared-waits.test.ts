/** Kinds of waiting, of runs in virtual time whose ledger says them. */
import { describe, expect, test } from 'vitest'
import type { SharedWaits } from '../../../src/result/document-parts.schema.ts'
import { findingsIn } from '../observations.ts'
import { areDelayed } from '../../../src/result/ledger/shared-waits.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { formatCount } from '../../../src/base/numbers.ts'
import { waitRows } from '../../../src/report/run/sections/waits/rows.ts'
import { virtualRun } from '../../support/virtual-run.ts'
import { pollingAdvice } from '../../support/run-shown.ts'

/** Two tasks of 2 s each; 40 kickoffs, 30 a minute. */
async function runOn(capacity: string): Promise<ResultDocument> {
  const task = 'agent: Worker, duration: 2s, output: 100B'
  const crew = `
tasks: [{ id: first, ${task} }, { id: second, ${task} }]
capacity: { ${capacity} }
`
  const arrivals = { rate: '30/m', for: '80s', process: 'uniform' } as const
  return virtualRun({ crew, scenario: { arrivals, deadline: '30m' } })
}

const longer = ({ findings }: ResultDocument): string[] =>
  findings.map(({ message }) => message).filter((message) => message.includes('longer than'))

describe('of a crew behind a quota', () => {
  test('the report tells waiting for it from waiting for a worker and from work', async () => {
    // A call every 4 s: execution n asks at 2 n s, and its calls wait longer and longer.
    const document = await runOn('workers: 100, quota: { calls: 15/m }')
    const { distributions, sharedWaits } = document
    const { execution_time, quota_wait } = document.samples[0]!.ledger!.tasks[0]!
    expect(quota_wait).toBeGreaterThan(10)
    expect(execution_time - quota_wait!).toBeCloseTo(2, 6)
    expect(distributions['own']).toMatchObject({ n: 40 })
    expect(distributions['own']!.mean).toBeCloseTo(4_000, 0)
    expect(distributions['queue']!.max).toBe(0)
    const { mean } = distributions['running']!
    expect(distributions['quota']!.mean! / (mean! - 4_000)).toBeCloseTo(1, 3)
    expect(sharedWaits).toMatchObject({ executions: 40, slowedMs: 0 })
    expect(distributions['slowed']).toBeUndefined()
    const rows = new Map(waitRows(document).map(({ label, cells }) => [label, cells.p50?.value]))
    expect([...rows.keys()]).toEqual(expect.arrayContaining(['waiting for a quota', 'own work']))
    expect(rows.get('own work')).toBeCloseTo(4_000, -1)
    expect(rows.has('running') || rows.has('slowed by each other')).toBe(false)
    for (const bar of document.breakdown) {
      const own = new Map(bar.parts.map(({ part, task = part, ms }) => [task, ms]))
      expect([...own.keys()]).toEqual(['kickoff', 'queue', 'quota', 'first', 'second', 'detection'])
      expect([own.get('first'), own.get('second')]).toEqual([2_000, 2_000])
      const sum = bar.parts.reduce((total, { ms }) => total + ms, 0)
      expect(sum).toBeCloseTo(bar.totalMs, 0)
    }
  })

  test('a finding says how much longer executions took, and why', async () => {
    const document = await runOn('workers: 100, quota: { calls: 15/m }')
    const { ownMs, quotaMs } = document.sharedWaits!
    const percent = formatCount(Math.round((100 * quotaMs) / ownMs))
    expect(longer(document)).toEqual([
      `by the ledger, executions took ${percent} % longer than alone: ${percent} % waiting for a ` +
        'quota, 0 % slowed by each other. Lower the rate, or raise what they share: more workers ' +
        'would wait for it too',
    ])
    expect(pollingAdvice(document)).toMatch(
      /executions spend \d+\.\d % of their time waiting for a worker or a quota\.$/,
    )
  })
})

test('of several kinds, each has its part', () => {
  const waits = { executions: 20, delayed: 20, ownMs: 100, quotaMs: 60, slowedMs: 15 }
  const [finding] = findingsIn({ waits })
  expect(finding).toMatchObject({ code: 'shared-waits', quotaMs: 60, slowedMs: 15 })
  expect(finding!.message).toMatch(
    /^by the ledger, executions took 75 % longer than alone: 60 % waiting for a quota, 15 % slowed by each other\. /,
  )
})

test('of a crew with a shared processor, what others added is told from own work', async () => {
  const document = await runOn('workers: 100, slowdown: { shared: 1 }')
  expect(document.distributions['own']!.mean).toBeCloseTo(4_000, -1)
  expect(document.distributions['quota']).toBeUndefined()
  expect(document.distributions['slowed']!.mean).toBeGreaterThan(10_000)
  expect(longer(document)[0]).toMatch(
    /longer than alone: 0 % waiting for a quota, [\d,]+ % slowed by each other\. /,
  )
})

test.each([
  ['has workers alone', 'workers: 1'],
  ['shares what it has plenty of', 'workers: 1, quota: { calls: 600/m }, slowdown: { shared: 3 }'],
  ['adds workers', 'workers: { from: 1, to: 2, upAfter: 20s, downAfter: 5m }'],
])('nothing is said where a crew %s, however long its queue', async (_, capacity) => {
  const document = await runOn(capacity)
  expect(document.distributions['queue']!.max).toBeGreaterThan(10_000)
  expect(longer(document)).toEqual([])
  expect(document.distributions['own']).toBeUndefined()
})

const DELAYED: SharedWaits = { executions: 20, delayed: 10, ownMs: 100, quotaMs: 15, slowedMs: 5 }

test.each<[string, Partial<SharedWaits>, boolean]>([
  ['many, by much', {}, true],
  ['too few', { executions: 19 }, false],
  ['most of them not at all', { delayed: 9 }, false],
  ['by little', { slowedMs: 4 }, false],
  ['of no work at all', { ownMs: 0 }, false],
])('executions that were delayed: %s', (_, change, are) => {
  expect(areDelayed({ ...DELAYED, ...change })).toBe(are)
})
