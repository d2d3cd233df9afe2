import { describe, expect, test } from 'vitest'
import type { Demand } from '../../../../fake-crew/model/work/demand.ts'
import { drawDemand, drawOutputBytes } from '../../../../fake-crew/model/work/demand.ts'
import { utf8Length } from '../../../../src/base/utf8.ts'
import type { Profile } from '../../../../fake-crew/model/profile.ts'
import type { CompletedBody } from '../../../../src/crew/wire.ts'
import type { Distribution } from '../../../../src/base/distribution.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { Client, bodyOf } from '../../client.ts'
import { SECOND, sampleProfile, sampleTask } from '../../sample-profile.ts'

const LOGNORMAL: Distribution = { kind: 'lognormal', median: SECOND, p95: 4 * SECOND }
const GAMMA: Distribution = { kind: 'gamma', mean: SECOND, cv: 2 }

function taskWith(change: Partial<Profile['tasks'][number]>): Profile['tasks'][number] {
  return { ...sampleTask('any', SECOND), ...change }
}

function withDurations(...durations: Distribution[]): Profile {
  return sampleProfile({ tasks: durations.map((duration) => taskWith({ duration })) })
}

function demandOf(profile: Profile, ordinal: number, seed = 1): Demand {
  return drawDemand(profile, createRandom(seed).fork('execution', ordinal))
}

/** Milliseconds of the second task. */
function secondTaskMs(profile: Profile, ordinal: number): number {
  const { taskEndsMs } = demandOf(profile, ordinal)
  return taskEndsMs[1]! - taskEndsMs[0]!
}

describe('the demand of an execution', () => {
  test('is the same for a seed and an ordinal in every version', () => {
    const profile = withDurations(LOGNORMAL, GAMMA, LOGNORMAL)
    const ends = [
      [1, 0],
      [1, 1],
      [2, 0],
    ].map(([seed, ordinal]) => demandOf(profile, ordinal!, seed).taskEndsMs)
    expect(ends).toEqual([
      [2831, 3707, 4439],
      [992, 1015, 3945],
      [438, 531, 2386],
    ])
  })

  test('draws each task alone: other durations before it change nothing', () => {
    const times = [0, 1, 2, 3].map((ordinal) => [
      secondTaskMs(withDurations(LOGNORMAL, LOGNORMAL), ordinal),
      secondTaskMs(withDurations(GAMMA, LOGNORMAL), ordinal),
    ])
    for (const [afterLognormal, afterGamma] of times) expect(afterGamma).toBe(afterLognormal)
  })

  test('fails as often as the profile says, at any point of the task', () => {
    const failing = taskWith({ failure: { chance: 0.25, message: 'no' } })
    const profile = sampleProfile({ tasks: [failing] })
    const demands = Array.from({ length: 4_000 }, (_, ordinal) => demandOf(profile, ordinal))
    const failed = demands.filter(({ fate }) => fate === 'failed')
    expect(failed.length / demands.length).toBeCloseTo(0.25, 1)
    const meanMs = failed.reduce((sum, { taskEndsMs }) => sum + taskEndsMs[0]!, 0) / failed.length
    expect(meanMs / 500).toBeCloseTo(1, 1)
  })

  test('that is stuck has every task, for none of them fails', () => {
    const task = taskWith({ failure: { chance: 1, message: 'no' } })
    const profile = sampleProfile({ tasks: [task, task], stuckChance: 1 })
    expect(demandOf(profile, 0)).toEqual({
      fate: 'stuck',
      taskEndsMs: [1_000, 2_000],
      setUpMs: 0,
    })
  })

  test('contains time outside of its tasks, spread evenly before them', () => {
    const overhead: Distribution = { kind: 'constant', value: 300_000 }
    const profile = sampleProfile({
      tasks: ['a', 'b', 'c'].map((id) => taskWith({ id })),
      overhead,
    })
    const { taskEndsMs, setUpMs } = demandOf(profile, 0)
    expect(setUpMs).toBe(100)
    expect(taskEndsMs).toEqual([1_100, 2_200, 3_300])
    const client = new Client(profile)
    const { result, execution_time: seconds } = bodyOf(
      client.status(client.kickoff(), 10 * SECOND),
    ) as CompletedBody
    expect(seconds).toBe(3.3)
    expect(result.tasks.map((task) => task.execution_time)).toEqual([1, 1, 1])
  })

  test('ends at a finite time, whatever is drawn', () => {
    const profile = withDurations({ kind: 'constant', value: 1e300 })
    expect(demandOf(profile, 0).taskEndsMs).toEqual([0xffff_fffe])
  })
})

describe('the size of an output', () => {
  const output: Distribution = { kind: 'uniform', min: 0, max: 100_000 }
  const tasks = [taskWith({ output, id: 'a' }), taskWith({ output, id: 'b' })]

  /** Of both tasks of the first two executions, as their client gets them. */
  function sizes(seed: number): number[][] {
    const client = new Client(sampleProfile({ tasks, seed }))
    return [client.kickoff(), client.kickoff()].map((id) => {
      const { result } = bodyOf(client.status(id, 2 * SECOND)) as CompletedBody
      return result.tasks.map((task) => utf8Length(task.output))
    })
  }

  test('is the same for a seed, an ordinal and a task in every version', () => {
    expect(sizes(1)).toEqual([
      [39_112, 4_751],
      [38_670, 32_298],
    ])
    expect(sizes(2)[0]).toEqual([71_237, 74_074])
  })

  test.each([
    [-5, 0],
    [12.5, 13],
    [1e9, 4 * 1024 * 1024],
  ])('drawn as %d is %d bytes', (value, bytes) => {
    const drawn = taskWith({ output: { kind: 'constant', value } })
    const random = createRandom(1)
    expect(drawOutputBytes(sampleProfile({ tasks: [drawn] }), 0, random)).toBe(bytes)
  })
})
