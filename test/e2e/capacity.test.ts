/** `crewload capacity` over HTTP: of a fake crew that others use too, and by k6. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CapacityDocument } from '../../src/study/capacity/document.ts'
import { capacitySchema } from '../../src/study/capacity/document.ts'
import type { Finished } from '../support/cli.ts'
import { cli, startFakeCli, temporaryFolder } from '../support/cli.ts'
import { k6OrSkip } from '../support/k6/k6.ts'

/** Six workers of half a minute. */
const CREW = `name: six
inputs: [topic]
tasks:
  - { id: plan, agent: Planner, duration: { gamma: { mean: 10s, cv: 0.5 } } }
  - { id: write, agent: Writer, duration: { gamma: { mean: 20s, cv: 0.4 } }, output: 1kB }
capacity: { workers: 6 }
`
const SCENARIO = `export default {
  name: 'ask',
  arrivals: { rate: '1/m', for: '1h' },
  inputs: { topic: 'tides' },
  polling: { fixed: '2s' },
  deadline: '10m',
}
`
/** For a machine that is busy with other tests. */
const LENIENT = SCENARIO.replace(
  /}\n$/,
  `  validity: { lateness: '2s', utilisation: 1, little: '50%' },\n}\n`,
)
const ASKED = ['--slo', 'execution.p95 < 90s, outcome.unserved < 2%', '--within', '20%']

const k6 = await k6OrSkip('a search for capacity with k6 as engine')

/** The folder is short and the same everywhere where the command starts in it. */
async function prepared(
  atEnd: typeof onTestFinished = onTestFinished,
): Promise<{ folder: string; args: string[] }> {
  const folder = await temporaryFolder()
  atEnd(async () => folder[Symbol.asyncDispose]())
  await writeFile(join(folder.path, 'crew.yaml'), CREW)
  await writeFile(join(folder.path, 'ask.mjs'), SCENARIO)
  const args = ['capacity', './ask.mjs', '--profile', './crew.yaml', ...ASKED, '--out', 'out']
  return { folder: folder.path, args: [...args, '--max-kickoffs', '1500'] }
}

function documentOf({ stdout }: Finished): CapacityDocument {
  return capacitySchema.parse(JSON.parse(stdout))
}

describe.concurrent('over HTTP', () => {
  test('somebody else on the same fake crew is told by its ledger', async ({ onTestFinished }) => {
    await using folder = await temporaryFolder()
    const crew = join(folder.path, 'crew.yaml')
    await writeFile(crew, CREW)
    const scenario = join(folder.path, 'ask.mjs')
    await writeFile(scenario, LENIENT)
    const fake = await startFakeCli(['--profile', crew, '--speed', '60'])
    onTestFinished(async () => void (await fake.stop()))
    const headers = { authorization: `Bearer ${fake.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ inputs: { topic: 'others' } })
    const other = setInterval(() => {
      void fetch(`${fake.url}/kickoff`, { method: 'POST', headers, body }).catch(() => {})
    }, 200)
    onTestFinished(() => clearInterval(other))
    const place = ['--target', fake.url, '--max-kickoffs', '200', '--out', folder.path]
    const told = await cli(
      ['capacity', scenario, ...ASKED, ...place, '--speed', '60', '--within', '40%', '--json'],
      { env: { CREWLOAD_TOKEN: fake.token } },
    )
    const { verdict, findings } = documentOf(told)
    const texts = [...verdict.reasons, ...findings].map(({ message }) => message)
    const message = texts.find((text) => text.startsWith('Another load is on the crew'))
    const [, executions, workers] =
      /its ledger has (\d+) executions that this search did not send, which kept ([\d.]+) workers/
        .exec(message!)!
        .map(Number)
    expect(executions!).toBeGreaterThan(10)
    // Five a second, half a second each.
    expect(workers!).toBeGreaterThan(1)
    expect(workers!).toBeLessThan(4)
  })

  test.skipIf(k6 === null)('k6 carries the loads of a time-lapse', async ({ onTestFinished }) => {
    const { folder, args } = await prepared(onTestFinished)
    await writeFile(join(folder, 'ask.mjs'), LENIENT)
    const engine = ['--engine', 'k6', '--speed', '60', '--within', '40%', '--max-kickoffs', '200']
    const told = await cli([...args, ...engine, '--json'], { cwd: folder })
    const { verdict, model, saturation, kickoffs, plan, ladder } = documentOf(told)
    expect([`0 answered`, `4 refused`]).toContain(`${told.code} ${verdict.outcome}`)
    expect([plan.engine, plan.speed]).toEqual(['k6', 60])
    expect(model).toMatchObject({ slots: { value: 6, low: 6, high: 6 }, truth: 'ledger' })
    // Six workers of half a second finish 43,200 an hour.
    expect(saturation!.low).toBeLessThan(43_200)
    expect(saturation!.high).toBeGreaterThan(43_200)
    expect(ladder.map(({ clients }) => clients).slice(0, 4)).toEqual([1, 2, 4, 8])
    expect(kickoffs).toBeLessThanOrEqual(200)
  })
})
