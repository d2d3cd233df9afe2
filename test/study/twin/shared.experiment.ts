/** Twins of crews whose executions share more than workers: what a run showed comes back. */
import { describe, expect, test } from 'vitest'
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { TwinDocument } from '../../../src/study/twin/document.ts'
import * as twins from './recorded.ts'
import { partOf } from './recorded.ts'
import { sharedFolder } from '../../support/shared-folder.ts'
import { withoutLedger } from '../../support/virtual-run.ts'

const path = sharedFolder()

const TASKS = `[
  { id: research, agent: Researcher, duration: { gamma: { mean: 8s, cv: 0.4 } } },
  { id: writing, agent: Writer, duration: 6s },
]`

interface Recorded {
  replays?: number
  /** Minutes at one kickoff a minute before. */
  calmMinutes?: number
  /** As a real target is: nothing but what it reports. */
  keepsLedger?: boolean
}

/** Learned from one run of 12 minutes in virtual time. */
async function twinOf(
  capacity: string,
  rate: string,
  { replays = 3, calmMinutes = 0, keepsLedger = true }: Recorded = {},
) {
  const calm = calmMinutes === 0 ? [] : [{ rate: '1/m', for: `${calmMinutes}m` }]
  const made = await twins.recorded(path(), `tasks: ${TASKS}\ncapacity: { ${capacity} }\n`, {
    arrivals: { steps: [...calm, { rate, for: '12m' }], process: 'poisson' },
    polling: { fixed: '5s' },
    deadline: '60m',
  })
  if (!keepsLedger) await withoutLedger(made)
  const file = path('twin.yaml')
  const document = await twins.twinOf([made], { file, replays })
  return { document, profile: loadProfile(file) }
}

/** Quantiles of so few executions jump from one poll to the next. */
function meansThatDisagree({ agreement }: TwinDocument): string[] {
  const means = agreement!.comparisons.filter(({ name }) => name.endsWith('mean'))
  expect(means.length).toBeGreaterThanOrEqual(2)
  return means.filter(({ agrees }) => !agrees).map(({ name }) => name)
}

describe('a quota of calls', () => {
  test('comes back with its rate and its calls of a task, and the replays agree', async () => {
    const { document, profile } = await twinOf(
      'workers: 8, quota: { calls: 60/m, perTask: 3 }',
      '9/m',
    )
    expect(profile.capacity.quota).toMatchObject({
      calls: { count: 60, perMicros: 60e6 },
      perTask: 3,
      burst: 1,
      when: 'wait',
    })
    expect(partOf(document, 'quota')).toMatchObject({
      identified: true,
      learned: {
        message: expect.stringMatching(
          /^60\/m, 3 calls in each task\. \d+ of \d+ tasks waited for it, by the ledger, and it explains 100 % of/,
        ) as string,
      },
    })
    // The tasks without their waits.
    expect(partOf(document, 'task writing').learned.message).toMatch(/^always 6\.00 s/)
    expect(document.agreement!.comparisons.map(({ name }) => name)).toContain(
      'wait for a quota, mean',
    )
    expect(meansThatDisagree(document)).toEqual([])
  })

  test.each([
    ['quota: { calls: 20/m, burst: 10 }', '11/m', { calls: { count: 20 }, perTask: 1, burst: 10 }],
    [
      'quota: { calls: 60/m, perTask: 2, refill: window }',
      '16/m',
      { calls: { count: 60 }, perTask: 2, refill: 'window' },
    ],
  ])('%s comes back too', async (quota, rate, wanted) => {
    const { profile, document } = await twinOf(`workers: 8, ${quota}`, rate, { replays: 0 })
    expect(profile.capacity.quota).toMatchObject(wanted)
    expect(partOf(document, 'quota').identified).toBe(true)
  })

  test('of calls that try again comes back within a tenth', async () => {
    const { profile } = await twinOf(
      'workers: 8, quota: { calls: 60/m, perTask: 2, when: retry }',
      '14/m',
      { replays: 0 },
    )
    const { calls, perTask, when } = profile.capacity.quota!
    expect([perTask, when]).toEqual([2, 'retry'])
    expect(Math.abs(calls.count / 60 - 1)).toBeLessThan(0.1)
  })
})

test('a shared processor comes back, and the replays agree', async () => {
  const { profile, document } = await twinOf('workers: 20, slowdown: { shared: 4 }', '14/m')
  expect(profile.capacity.slowdown).toEqual({ shared: 4 })
  expect(profile.capacity.quota).toBeUndefined()
  expect(partOf(document, 'task writing').learned.message).toMatch(/^always 6\.00 s/)
  expect(meansThatDisagree(document)).toEqual([])
})

test('workers that follow the load come back with both times, and the replays agree', async () => {
  const { profile, document } = await twinOf(
    'workers: { from: 2, to: 4, upAfter: 20s, downAfter: 1m }',
    '9/m',
  )
  expect(profile.capacity).toMatchObject({
    workers: 2,
    scaling: { to: 4, upAfterMicros: 20e6, downAfterMicros: 60e6 },
  })
  expect(partOf(document, 'workers').learned.message).toMatch(
    /^2 to 4 workers: one more after 20\.0 s of waits \(\d+ times\), one fewer after 60\.0 s/,
  )
  expect(meansThatDisagree(document)).toEqual([])
})

test('a quota, a processor and workers that scale come back together', async () => {
  const scaling = '{ from: 2, to: 12, upAfter: 30s, downAfter: 1m }'
  const quota = '{ calls: 60/m, perTask: 2 }'
  const capacity = `workers: ${scaling}, quota: ${quota}, slowdown: { shared: 4 }`
  const { profile, document } = await twinOf(capacity, '13/m', { replays: 0 })
  expect(profile.capacity).toMatchObject({
    workers: 2,
    quota: { calls: { count: 60 }, perTask: 2 },
    slowdown: { shared: 4 },
    scaling: { to: 12, upAfterMicros: 30e6 },
  })
  // At that load, workers are never idle for long.
  expect(partOf(document, 'workers')).toMatchObject({ identified: false })
  expect(partOf(document, 'workers').learned.message).toMatch(/none was seen to go$/)
})

test('a quota of tokens of which each call uses as many comes back as one of calls', async () => {
  const tokens = 'tokens: { perMinute: 6000, perCall: 600 }'
  const { profile, document } = await twinOf(`workers: 8, ${tokens}`, '9/m')
  expect(profile.capacity.tokens).toBeUndefined()
  expect(profile.capacity.quota).toMatchObject({
    calls: { count: 10, perMicros: 60e6 },
    perTask: 1,
    burst: 10,
    when: 'wait',
  })
  expect(partOf(document, 'quota')).toMatchObject({ identified: true, at: 'capacity.quota' })
  expect(partOf(document, 'task writing').learned.message).toMatch(/^always 6\.00 s/)
  expect(meansThatDisagree(document)).toEqual([])
})

test('waits that no quota of calls explains stay in the tasks of the twin', async () => {
  const tokens = 'tokens: { perMinute: 12000, perCall: { uniform: { min: 100, max: 2500 } } }'
  const { profile, document } = await twinOf(`workers: 8, ${tokens}`, '9/m', { replays: 0 })
  expect(profile.capacity.quota).toBeUndefined()
  expect(partOf(document, 'quota')).toMatchObject({
    identified: false,
    at: null,
    learned: {
      message: expect.stringMatching(
        /^\d+ of \d+ tasks waited for it, by the ledger, and no quota of calls explains that\. The twin's tasks take as long$/,
      ) as string,
    },
  })
  const [, writing] = profile.tasks
  expect(writing!.duration).not.toEqual({ kind: 'constant', value: 6e6 })
})

test('a crew that shares nothing has a twin that shares nothing', async () => {
  const { profile, document } = await twinOf('workers: 4', '16/m', { replays: 0 })
  const { quota, slowdown, scaling } = profile.capacity
  expect([quota, slowdown, scaling]).toEqual([undefined, undefined, undefined])
  expect(partOf(document, 'quota')).toBeUndefined()
})

describe('without a ledger', () => {
  const recorded = { calmMinutes: 20, keepsLedger: false }

  test('a processor comes back from times that grow beside others', async () => {
    const { profile, document } = await twinOf(
      'workers: 20, slowdown: { shared: 4 }',
      '14/m',
      recorded,
    )
    expect(profile.capacity.slowdown).toEqual({ shared: 4 })
    expect(partOf(document, 'what executions share')).toMatchObject({ identified: false })
    const { p50 } = partOf(document, 'task writing').goodness!
    expect(Math.abs(p50.fitted / 6_000 - 1)).toBeLessThan(0.05)
    expect(meansThatDisagree(document)).toEqual([])
  })

  test('a processor stands for a quota, and the replays agree', async () => {
    const quota = 'quota: { calls: 60/m, perTask: 3 }'
    const { profile, document } = await twinOf(`workers: 20, ${quota}`, '9/m', recorded)
    // A call a second: 3 of them in each task of 8 s and of 6 s, 2.3 executions at full speed.
    expect([2, 3]).toContain(profile.capacity.slowdown!.shared)
    expect(meansThatDisagree(document)).toEqual([])
  })

  test('workers that are too few are no processor', async () => {
    const { profile } = await twinOf('workers: 4', '18/m', { ...recorded, replays: 0 })
    expect(profile.capacity).toMatchObject({ workers: 4 })
    expect(profile.capacity.slowdown).toBeUndefined()
  })
})
