/** Options and profiles as JavaScript gives them: what would be passed over in silence, or fail later, is refused. */
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

test.each<[object, RegExp]>([
  [{ speeed: 60 }, /startFakeCrew\(\) speeed: unknown option[^]*did you mean "speed"/],
  [{ profile: { task: [] } }, /profile task: unknown option[^]*did you mean "tasks"/],
  [{ profile: { tasks: [] } }, /tasks: expected at least one task/],
  [{ profile: { speed: 0 } }, /speed: expected a number above 0/],
  [{ speed: Number.NaN }, /speed: expected a number above 0/],
  [{ seed: -1 }, /seed: expected a whole number from 0/],
  [{ dialect: 'english' }, /dialect: expected "interface" or "platform"/],
  [{ profile: { stuckChance: 2 } }, /stuckChance: expected a share/],
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
