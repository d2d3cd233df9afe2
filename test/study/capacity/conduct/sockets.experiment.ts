/** A search over sockets in a time-lapse: of a fake crew that others use too, and by k6. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { conducting } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import type { CapacityOptions } from '../../../../src/study/capacity/options.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { k6OrSkip } from '../../../support/k6/k6.ts'

/** Six workers of half a minute. */
const CREW = `name: six
inputs: [topic]
tasks:
  - { id: plan, agent: Planner, duration: { gamma: { mean: 10s, cv: 0.5 } } }
  - { id: write, agent: Writer, duration: { gamma: { mean: 20s, cv: 0.4 } }, output: 1kB }
capacity: { workers: 6 }
`
/** For a machine that is busy with other tests. */
const SCENARIO = `export default {
  name: 'ask',
  arrivals: { rate: '1/m', for: '1h' },
  inputs: { topic: 'tides' },
  polling: { fixed: '2s' },
  deadline: '10m',
  validity: { lateness: '2s', utilisation: 1, little: '50%' },
}
`

const k6 = await k6OrSkip('a search for capacity with k6 as engine')

async function found(
  placeIn: (profile: string) => Promise<CapacityOptions['run']>,
): Promise<CapacityDocument> {
  await using folder = await temporaryFolder()
  const profile = join(folder.path, 'crew.yaml')
  const scenario = join(folder.path, 'ask.mjs')
  await writeFile(profile, CREW)
  await writeFile(scenario, SCENARIO)
  const slo = 'execution.p95 < 90s, outcome.unserved < 2%'
  const asked = { scenario, slo, within: '40%', simulated: 20_000, out: false } as const
  return (
    await conductStudy(conducting, { ...asked, run: { speed: 60, ...(await placeIn(profile)) } })
  ).document
}

test('somebody else on the same fake crew is told by its ledger', async ({ onTestFinished }) => {
  const { verdict, findings } = await found(async (profile) => {
    const crew = await startFakeCrew({ profile, speed: 60 })
    onTestFinished(async () => crew.stop())
    const headers = { authorization: `Bearer ${crew.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ inputs: { topic: 'others' } })
    const other = setInterval(() => {
      void fetch(`${crew.url}/kickoff`, { method: 'POST', headers, body }).catch(() => {})
    }, 200)
    onTestFinished(() => clearInterval(other))
    return { target: crew.url, tokens: [crew.token], budget: { kickoffs: 100 } }
  })
  const message = [...verdict.reasons, ...findings].map((each) => each.message).join('\n')
  const [, executions, workers] =
    /Another load is on the crew: (\d+) executions of others kept ([\d.]+) workers/
      .exec(message)!
      .map(Number)
  expect(executions!).toBeGreaterThan(10)
  // Five a second, half a second each.
  expect(workers!).toBeGreaterThan(1)
  expect(workers!).toBeLessThan(4)
})

test.skipIf(k6 === null)('k6 carries the loads', async () => {
  const document = await found(async (profile) => ({
    profile,
    engine: { kind: 'k6' },
    budget: { kickoffs: 200 },
  }))
  const { verdict, model, saturation, kickoffs, plan, ladder } = document
  expect(['answered', 'refused']).toContain(verdict.outcome)
  expect([plan.engine, plan.speed]).toEqual(['k6', 60])
  expect(model).toMatchObject({ slots: { value: 6, low: 6, high: 6 }, truth: 'ledger' })
  // Six workers of half a second finish 43,200 an hour.
  expect(saturation!.low).toBeLessThan(43_200)
  expect(saturation!.high).toBeGreaterThan(43_200)
  expect(ladder.map(({ clients }) => clients).slice(0, 4)).toEqual([1, 2, 4, 8])
  expect(kickoffs).toBeLessThanOrEqual(200)
})
