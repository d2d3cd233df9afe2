/** Crews that wait for a quota, searched in virtual time: what limits them, and what would help. */
import { allText } from '../../../../src/report/frame/report.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conducting } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const SCENARIO = `export default {
  name: 'ask', arrivals: { rate: '1/m', for: '1h' }, inputs: { topic: 'tides' },
  polling: { fixed: '100ms' }, deadline: '10m',
}`

/** Three tasks of 2.6 s in all, with one call each. */
const TASKS = [1, 1, 0.6].map(
  (seconds, i) => `{ id: t${i}, agent: A, duration: { gamma: { mean: ${seconds}s, cv: 0.3 } } }`,
)

/** Of a crew with these tasks and this capacity, with the promise of a p95 below 8 s. */
async function found(
  capacity: string,
  tasks = TASKS,
  kickoffs = 900,
  seed = 1,
): Promise<CapacityDocument> {
  await using folder = await temporaryFolder()
  const [profile, scenario] = [join(folder.path, 'crew.yaml'), join(folder.path, 'ask.mjs')]
  await writeFile(profile, `tasks: [${tasks.join(', ')}]\ncapacity: { ${capacity} }\n`)
  await writeFile(scenario, SCENARIO)
  const slo = 'execution.p95 < 8s'
  const asked = { within: '10%', simulated: 50_000, out: false as const }
  const run = { profile, seed, budget: { kickoffs } }
  return (await conductStudy(conducting, { scenario, slo, ...asked, run })).document
}

describe('four workers, and one execution needs three calls', () => {
  test('behind 240 calls a minute: the quota is the limit, and a worker brings little', async () => {
    const gains: number[] = []
    for (const seed of [1, 4]) {
      const { verdict, limit, sharedPerHour, oneMoreWorker, model } = await found(
        'workers: 4, quota: { calls: 240/m }',
        TASKS,
        900,
        seed,
      )
      expect(verdict.outcome).toBe('answered')
      expect(model!.slots.value).toBe(4)
      expect(limit!.kind).toBe('shared')
      // 240 calls a minute are 4,800 executions an hour; a processor would fit nearly as well.
      expect(sharedPerHour!.low).toBeLessThan(4_800)
      expect(sharedPerHour!.high).toBeGreaterThan(4_800)
      expect(Math.abs(sharedPerHour!.value / 4_800 - 1)).toBeLessThan(0.1)
      expect(limit!.tasks[0]!.slowdown).toBeGreaterThan(1.1)
      expect(allText(verdict)).toContain('Something that all executions share caps the crew')
      gains.push(oneMoreWorker!.gain)
    }
    // Searched with five workers, the same crew takes 9 % more; workers alone would take 25 %.
    expect(Math.max(...gains)).toBeGreaterThan(0.09)
    expect(Math.max(...gains)).toBeLessThan(0.2)
  })

  test('whose times vary, with few kickoffs: says that the limit is not known, or knows it', async () => {
    const task = '{ id: t, agent: A, duration: { gamma: { mean: 2.6s, cv: 0.6 } } }'
    const kinds = new Set<string | null>()
    for (const seed of [1, 2, 3, 4]) {
      const { limit, oneMoreWorker, findings } = await found('workers: 4', [task], 250, seed)
      const said = findings.some(({ message }) => message.startsWith('What limits the crew is not'))
      expect([said, oneMoreWorker === null]).toEqual([limit === null, limit === null])
      kinds.add(limit?.kind ?? null)
    }
    expect(kinds).toEqual(new Set(['workers', null]))
  })
})
