/** Twins of runs that were a time-lapse. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/run/index.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { learnTwin } from '../../../src/study/twin/conduct/conduct.ts'
import { temporaryFolder } from '../../support/cli.ts'

const SCENARIO = defineScenario({
  name: 'lapsed',
  arrivals: { rate: '12/m', for: '6m' },
  inputs: { topic: 'bees' },
  polling: { fixed: '2s' },
  confirm: 0,
})
const CREW = `
tasks: [{ id: work, agent: Worker, duration: 8s }]
capacity: { workers: 2 }
`

test('a twin of a time-lapse has the times of the crew, is replayed at that speed, and says so once', async () => {
  await using folder = await temporaryFolder()
  const profile = join(folder.path, 'crew.yaml')
  await writeFile(profile, CREW)
  const made = async (speed: number): Promise<string> =>
    (await run(SCENARIO, { engine: 'virtual', profile, speed, out: folder.path })).folder!
  const lapsed = await made(10)
  const { document } = await learnTwin({ runs: [lapsed], out: false, replays: 2 })
  expect(document.profile).toContain('duration: 8s')
  expect(document.profile!.match(/one second stands for 10 s/g)).toHaveLength(1)
  expect(document.findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/one second stands for 10 s/),
  ])
  expect(document.agreement!.comparisons.filter(({ agrees }) => !agrees)).toEqual([])

  const both = learnTwin({ runs: [lapsed, await made(1)], out: false, replays: 0 })
  await expect(both).rejects.toThrow(/expected runs at one speed/)
})

test('a cold start of a time-lapse is found, though it is short in wall time', async () => {
  await using folder = await temporaryFolder()
  const profile = join(folder.path, 'crew.yaml')
  await writeFile(
    profile,
    CREW.replace('workers: 2', 'workers: 2, coldStart: { delay: 10s, idle: 5m }'),
  )
  const options = { engine: 'virtual', profile, speed: 120, out: folder.path } as const
  const { folder: made } = await run(SCENARIO, options)
  const { document } = await learnTwin({ runs: [made!], out: false, replays: 0 })
  expect(document.profile).toMatch(/delay: (?:9\.|10)/)
})
