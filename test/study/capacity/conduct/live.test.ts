/**
 * A search over real HTTP: on a crew that is not ours, in a time-lapse, and on one that goes away.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCapacity } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import type { CapacityOptions } from '../../../../src/study/capacity/plan/options.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { semaphoreCrew } from '../../../support/targets/semaphore-crew.ts'

const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'foreign',
  arrivals: { rate: '1/s', for: '1m' },
  inputs: { topic: 'capacity' },
  polling: { fixed: '20ms' },
  deadline: '3s',
  validity: { lateness: '1s', utilisation: 1, little: '50%' },
})
`

async function found(
  options: Partial<CapacityOptions>,
  text = SCENARIO,
): Promise<CapacityDocument> {
  await using folder = await temporaryFolder()
  const scenario = join(folder.path, 'foreign.ts')
  await writeFile(scenario, text)
  const common = {
    scenario,
    slo: 'execution.p95 < 2s',
    within: '40%',
    simulated: 10_000,
    out: false,
  } as const
  return (await findCapacity({ ...common, tokens: ['any'], ...options })).document
}

test('a crew that is not ours is counted and answered by what it reports', async () => {
  await using crew = await semaphoreCrew({ permits: 6, millis: (n) => 150 + ((n * 37) % 101) })
  const document = await found({ target: crew.url, budget: { kickoffs: 200 } })
  const { verdict, model, kickoffs, saturation, atMost, capacity: rate } = document
  // On a busy machine the server itself slows down while it is searched, which is told as well.
  expect(['answered', 'refused']).toContain(verdict.outcome)
  expect(model).toMatchObject({ slots: { value: 6 }, truth: 'reported' })
  // Six at once, a fifth of a second each: timers are never early.
  expect(saturation!.perHour).toBeGreaterThan(0.7 * 108_000)
  expect(saturation!.perHour).toBeLessThan(1.05 * 108_000)
  expect(atMost ?? rate!.high).toBeLessThanOrEqual(saturation!.high)
  expect(kickoffs).toBe(crew.kickoffs())
})

test('a target that is lost ends the search with what it learned', async () => {
  await using crew = await semaphoreCrew({ permits: 2, millis: () => 20, diesAfter: 12 })
  const document = await found({ target: crew.url, budget: { kickoffs: 200 } })
  expect([document.ended, capacity.exit(document)]).toEqual(['target', 'unreachable'])
  expect(document.ladder.length).toBeGreaterThan(0)
  expect(document.capacity?.resolved ?? false).toBe(false)
})
