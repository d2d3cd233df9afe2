/**
 * Options and profiles as JavaScript gives them: what would be passed over in silence, or fail
 * later, is refused.
 */
import { expect, test } from 'vitest'
import type { FakeCrewOptions } from '../../fake-crew/index.ts'
import { startFakeCrew, startFakeProxy } from '../../fake-crew/index.ts'
import { UserError } from '../../src/base/mistakes.ts'

async function refusal(start: () => Promise<{ stop(): Promise<void> }>): Promise<string> {
  try {
    const started = await start()
    await started.stop()
    return 'started'
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

const SECOND = { kind: 'constant', value: 1_000_000 }
const TASK = {
  id: 'a',
  agent: 'A',
  duration: SECOND,
  failure: { chance: 0, message: 'x' },
  output: { kind: 'constant', value: 512 },
}
const RULE = {
  name: 'kickoffs',
  operations: ['kickoff'],
  quota: 'shared',
  per: 'token',
  algorithm: { kind: 'concurrency', limit: 1 },
  rejected: 'free',
  blockMicros: 0,
  refusal: { status: 429, retryAfter: 'seconds' },
}
const FAULT = {
  name: 'one',
  what: { kind: 'stuck' },
  operations: null,
  time: null,
  first: null,
  nth: 1,
  chance: 1,
  seed: null,
}

test.each<[object, RegExp]>([
  [{ speeed: 60 }, /startFakeCrew\(\) speeed: unknown option[^]*did you mean "speed"/],
  [{ profile: { task: [] } }, /profile task: unknown option[^]*did you mean "tasks"/],
  [{ profile: { tasks: [] } }, /tasks: expected at least one task/],
  [{ profile: { speed: 0 } }, /speed: expected a number above 0/],
  [{ speed: Number.NaN }, /speed: expected a number above 0/],
  [{ seed: -1 }, /seed: expected a whole number from 0/],
  [{ dialect: 'english' }, /dialect: expected "interface" or "platform"/],
  [{ profile: { stuckChance: 2 } }, /stuckChance: expected a share/],
  [{ profile: { tasks: [{ id: 'a' }] } }, /profile tasks\[0\]\.duration: expected a kind/],
  [
    { profile: { tasks: [{ ...TASK, duration: { kind: 'uniform', min: 2, max: 1 } }] } },
    /tasks\[0\]\.duration\.max: expected a max that is not below min \(found 1\)/,
  ],
  [
    { profile: { tasks: [{ ...TASK, duration: { ...SECOND, vlaue: 1 } }] } },
    /duration\.vlaue: unknown key; allowed: kind, value; did you mean "value"/,
  ],
  [{ profile: { tasks: [TASK, TASK] } }, /tasks\[1\]\.id: expected an id that no other task/],
  [{ profile: { capacity: { workers: 0 } } }, /capacity\.workers: expected a whole number from 1/],
  [{ profile: { capacity: { worker: 1 } } }, /capacity\.worker: unknown key.*"workers"/],
  [{ profile: { http: { pool: { size: '4' } } } }, /http\.pool.*expected/],
  [{ profile: { tokens: { user: { kickoff: false } } } }, /tokens\.user\.inputs: expected true or/],
  [{ profile: { inputs: 'topic' } }, /profile inputs: expected a list of names \(found "topic"\)/],
  [{ profile: { retentionMicros: Number.NaN } }, /retentionMicros: .*or null \(found NaN\)/],
  [
    { profile: { limits: { rules: [{ ...RULE, algorithm: { kind: 'leaky' } }] } } },
    /limits\.rules\[0\]\.algorithm\.kind: expected a kind: token-bucket, leaky-bucket/,
  ],
  [
    { profile: { faults: [{ ...FAULT, what: { kind: 'stall', share: 1 } }] } },
    /faults\[0\]\.what\.share: expected a share below 1 \(found 1\)/,
  ],
  [
    { profile: { faults: [{ ...FAULT, what: { kind: 'refuse' } }] } },
    /faults\[0\]\.time: expected an end/,
  ],
  [
    { profile: { faults: [{ ...FAULT, what: { kind: 'swap' }, operations: ['kickoff'] }] } },
    /faults\[0\]\.operations: expected operations that swap can strike: status/,
  ],
])('a fake crew refuses %j', async (options, problem) => {
  expect(await refusal(async () => startFakeCrew(options as FakeCrewOptions))).toMatch(problem)
})

test('a proxy refuses what only a crew has; what is undefined counts as not given', async () => {
  const target = 'http://127.0.0.1:9'
  const options = { target, userToken: 'x', port: undefined } as never
  expect(await refusal(async () => startFakeProxy(options))).toMatch(/userToken: unknown option/)
  const none = { speeed: undefined } as FakeCrewOptions
  expect(await refusal(async () => startFakeCrew(none))).toBe('started')
})

test('every mistake of a profile is told at once; what is right starts', async () => {
  const wrong = { tasks: [{ ...TASK, id: '' }], capacity: { workers: -1 }, stuckChance: 7 }
  const told = await refusal(async () => startFakeCrew({ profile: wrong as never }))
  expect(told.split('\n').map((line) => line.split(':')[0])).toEqual([
    'profile tasks[0].id',
    'profile stuckChance',
    'profile capacity.workers',
  ])
  const right = {
    tasks: [TASK],
    capacity: { workers: 1, queueLimit: undefined },
    limits: { rules: [RULE] },
    faults: [FAULT],
  }
  expect(await refusal(async () => startFakeCrew({ profile: right as never }))).toBe('started')
})
