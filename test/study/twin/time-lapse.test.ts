/** Twins of runs that were a time-lapse. */
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { recorded, twinOf } from './recorded.ts'

const LOAD = { arrivals: { rate: '12/m', for: '6m' } } as const
const CREW = `
tasks: [{ id: work, agent: Worker, duration: 8s }]
capacity: { workers: 2 }
`

test('a twin of a time-lapse has the times of the crew, and compares wall times, and says so once', async () => {
  await using folder = await temporaryFolder()
  const lapsed = await recorded(folder.path, CREW, LOAD, { speed: 10 })
  const document = await twinOf([lapsed], { replays: 2 })
  expect(document.profile).toContain('duration: 8s')
  expect(document.profile!.match(/one second stands for 10 s/g)).toHaveLength(1)
  expect(document.findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/one second stands for 10 s/),
  ])
  expect(document.findings).toMatchObject([{ code: 'time-lapse', speed: 10 }])
  const { comparisons, stay } = document.agreement!
  expect(comparisons.filter(({ agrees }) => !agrees)).toEqual([])
  const [mean] = comparisons
  const wall = [mean!.observed, mean!.twin, stay[0]!.observed, stay[0]!.predicted]
  expect(wall.filter((ms) => ms < 800 || ms > 8_000)).toEqual([])
  expect(document.source.perMinute).toBeGreaterThan(100)

  const both = twinOf([lapsed, await recorded(folder.path, CREW, LOAD)])
  await expect(both).rejects.toThrow(/expected runs at one speed/)
})

test('a cold start of a time-lapse is found, though it is short in wall time', async () => {
  await using folder = await temporaryFolder()
  const cold = CREW.replace('workers: 2', 'workers: 2, coldStart: { delay: 10s, idle: 5m }')
  const document = await twinOf([await recorded(folder.path, cold, LOAD, { speed: 120 })])
  expect(document.profile).toMatch(/delay: (?:9\.|10)/)
})
