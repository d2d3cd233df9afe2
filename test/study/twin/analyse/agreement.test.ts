/** Whether a twin is told to behave as the crew did, and only then. */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { agreementOf } from '../../../../src/study/twin/analyse/agreement.ts'
import type { SeenRun } from '../../../../src/study/twin/analyse/seen.ts'
import { runOf } from '../crews.ts'

const service = (random: Random): number => 60 * Math.exp(0.5 * random.normal())

const runs = (workers: number, seed: number): SeenRun[] => [
  runOf({ workers, service, perMinute: 3.2, executions: 300, truth: 'ledger', seed }),
]
const replays = (workers: number): SeenRun[][] =>
  Array.from({ length: 20 }, (_, i) => runs(workers, 100 + i))

describe('the comparisons', () => {
  test('agree for a crew of the same numbers', () => {
    for (const seed of [1, 2]) {
      const { comparisons } = agreementOf(runs(4, seed), replays(4))
      expect(comparisons.filter(({ agrees }) => !agrees)).toEqual([])
    }
  })

  test('disagree where the crew has a worker less, by its waits', () => {
    const { comparisons } = agreementOf(runs(4, 1), replays(5))
    const off = comparisons.filter(({ agrees }) => !agrees).map(({ name }) => name)
    expect(off).toContain('wait for a worker, mean')
  })
})
