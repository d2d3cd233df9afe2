/**
 * Options and profiles as JavaScript gives them: what would be passed over in silence, or fail
 * later, is refused.
 */
import { expect, test } from 'vitest'
import type { FakeCrewOptions, WrittenProfile } from '../../fake-crew/index.ts'
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

const TASK = { id: 'a', agent: 'A', duration: '1s' }
const RULE = { name: 'kickoffs', operations: ['kickoff'], concurrency: { limit: 1 } }

test.each<[object, RegExp]>([
  [{ speeed: 60 }, /startFakeCrew\(\) speeed: unknown option[^]*did you mean "speed"/],
  [{ speed: Number.NaN }, /speed: expected a number above 0/],
  [{ seed: -1 }, /seed: expected a whole number from 0/],
  [{ dialect: 'english' }, /dialect: expected "interface" or "platform"/],
])('a fake crew refuses the options %j', async (options, problem) => {
  expect(await refusal(async () => startFakeCrew(options as FakeCrewOptions))).toMatch(problem)
})

test.each<[object, RegExp]>([
  [{ task: [] }, /profile task: unknown key; allowed: name.*did you mean "tasks"/],
  [{ speed: 0 }, /profile speed: expected a number above 0/],
  [{ tasks: [{ id: 'a' }] }, /profile tasks\[0\]\.duration: expected a duration, or exactly one/],
  [
    { tasks: [{ ...TASK, duration: { constant: '1s', vlaue: 1 } }] },
    /duration\.vlaue: unknown key; allowed: constant, uniform/,
  ],
  [{ inputs: 'topic' }, /profile inputs: expected a list of names \(found "topic"\)/],
  [{ retention: Number.NaN }, /profile retention: expected a duration, or "forever"/],
])('a fake crew refuses the profile %j', async (profile, problem) => {
  const whole = { tasks: [TASK], ...profile } as WrittenProfile
  expect(await refusal(async () => startFakeCrew({ profile: whole }))).toMatch(problem)
})

test('a proxy refuses what only a crew has; what is undefined counts as not given', async () => {
  const target = 'http://127.0.0.1:9'
  const options = { target, userToken: 'x', port: undefined } as never
  expect(await refusal(async () => startFakeProxy(options))).toMatch(/userToken: unknown option/)
  const none = { speeed: undefined } as FakeCrewOptions
  expect(await refusal(async () => startFakeCrew(none))).toBe('started')
})

test('every mistake of a profile is told at once; what is right starts', async () => {
  const wrong = { tasks: [{ ...TASK, id: '' }], capacity: { workers: -1 }, stuck: 7 }
  const told = await refusal(async () => startFakeCrew({ profile: wrong }))
  expect(told.split('\n').map((line) => line.split(':')[0])).toEqual([
    'profile tasks[0].id',
    'profile stuck',
    'profile capacity.workers',
  ])
  const right = {
    tasks: [TASK],
    capacity: { workers: 1, queueLimit: undefined },
    limits: { rules: [RULE] },
    faults: [{ name: 'one', stuck: {} }],
  }
  expect(await refusal(async () => startFakeCrew({ profile: right as never }))).toBe('started')
})
