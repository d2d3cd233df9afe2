/** Twins from the command line, of runs in virtual time whose truth is known. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadProfile } from '../../../fake-crew/profiles.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { run } from '../../../src/run/index.ts'
import type { TwinPart, TwinDocument } from '../../../src/study/twin/document.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'

const SCENARIO = defineScenario({
  name: 'afternoon',
  arrivals: { rate: '12/m', for: '12m', process: 'poisson' },
  inputs: { topic: 'bees' },
  polling: { fixed: '2s' },
  deadline: '30m',
  confirm: 0,
})

const CREW = `
tasks:
  - id: research
    agent: Researcher
    duration: { gamma: { mean: 10s, cv: 0.4 } }
    failure: { chance: 10%, message: "No offers: \\"none\\"" }
  - { id: writing, agent: Writer, duration: 8s, output: 1kB }
overhead: 1s
capacity:
  workers: 4
  coldStart: { delay: 20s, idle: 10m }
http: { latency: { kickoff: 80ms, status: { lognormal: { median: 20ms, p95: 60ms } } } }
`

let place: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string): string => join(place.path, name)

/** A copy whose crew kept no ledger, as that of a real target. */
const withoutLedger = async (folder: string, name: string): Promise<string> => {
  await cp(folder, at(name), { recursive: true })
  for (const file of ['ledger.ndjson', 'clock.json']) await rm(join(at(name), file))
  return at(name)
}

let recorded = ''
let learned: { code: number | null; stdout: string; stderr: string }
let document: TwinDocument
const partOf = (name: string, of = document): TwinPart =>
  of.parts.find((part) => part.name === name)!

beforeAll(async () => {
  place = await temporaryFolder()
  await writeFile(at('crew.yaml'), CREW)
  await run(SCENARIO, { engine: 'virtual', profile: at('crew.yaml'), seed: 7, out: at('runs') })
  recorded = join(at('runs'), (await readdir(at('runs')))[0]!)
  const out = ['--out', at('twin.yaml'), '--reports', at('reports')]
  learned = await cli(['twin', '--json', '--replays', '6', recorded, ...out])
  document = JSON.parse(learned.stdout) as TwinDocument
})
afterAll(async () => place[Symbol.asyncDispose]())

describe('crewload twin', () => {
  test('learns every part that the run shows, and agrees with it', () => {
    expect(learned.code).toBe(0)
    expect(document.verdict.outcome).toBe('learned')
    expect(partOf('workers')).toMatchObject({ estimate: { value: 4, low: 4, high: 4 } })
    expect(partOf('task writing').words).toMatch(/^always 8\.00 s, from/)
    expect(partOf('time outside of tasks').words).toMatch(/^always 1\.00 s, from/)
    const { p50, p95 } = partOf('task research').goodness!
    expect(p50.low).toBeLessThan(9_472)
    expect(p50.high).toBeGreaterThan(9_472)
    expect(p95.low).toBeLessThan(17_400)
    expect(p95.high).toBeGreaterThan(17_400)
    const { low, high } = partOf('failures of research').estimate!
    expect(low).toBeLessThan(0.1)
    expect(high).toBeGreaterThan(0.1)
    expect(partOf('cold start')).toMatchObject({ identified: false, estimate: { value: 20_000 } })
    expect(document.agreement!.comparisons.every(({ agrees }) => agrees)).toBe(true)
    expect(document.agreement!.comparisons.map(({ name }) => name)).toContain(
      'wait for a worker, p95',
    )
  })

  test('says of runs of two crews that one twin is like neither', async () => {
    await writeFile(at('other.yaml'), CREW.replace('workers: 4', 'workers: 9'))
    const crew = { engine: 'virtual', profile: at('other.yaml'), seed: 8 } as const
    const other = await run(SCENARIO, { ...crew, out: at('others') })
    const asked = ['twin', '--json', '--replays', '0', recorded, other.folder!]
    const { stdout } = await cli([...asked, '--reports', at('reports')])
    const [finding] = (JSON.parse(stdout) as TwinDocument).findings
    expect(finding!.message).toMatch(
      /^The runs are of 2 crews \(.*crew\.yaml.* and .*other\.yaml.*\): a twin of all/,
    )
    expect(document.findings).toEqual([])
  })

  test('writes a profile that a run takes, with comments on its numbers', async () => {
    const text = await readFile(at('twin.yaml'), 'utf8')
    expect(text).toBe(document.profile)
    expect(text).toContain('# 4, by starts and ends of the ledger;')
    const profile = loadProfile(at('twin.yaml'))
    expect(profile.capacity).toMatchObject({ workers: 4, coldStart: { delay: { value: 20e6 } } })
    expect(profile.tasks.map(({ id }) => id)).toEqual(['research', 'writing'])
    expect(profile.tasks.map(({ agent }) => agent)).toEqual(['Researcher', 'Writer'])
    expect(profile.overhead).toEqual({ kind: 'constant', value: 1e6 })
    expect(profile.tasks[0]!.failure.message).toBe('No offers: "none"')
    expect(profile.tasks[1]!.duration).toEqual({ kind: 'constant', value: 8e6 })
  })

  test('learns the same of a crew that keeps no ledger, from the times that it reports', async () => {
    const folder = await withoutLedger(recorded, 'foreign')
    const args = ['twin', '--json', '--replays', '6', folder, '--reports', at('reports')]
    const { code, stdout } = await cli(args)
    const told = JSON.parse(stdout) as TwinDocument
    expect(code).toBe(0)
    expect(told.source.truth).toBe('reported')
    expect(partOf('workers', told)).toMatchObject({ estimate: { value: 4, low: 4, high: 4 } })
    expect(partOf('task writing', told).words).toMatch(/^always 8\.00 s, from/)
    expect(partOf('time outside of tasks', told).words).toMatch(/^always 1\.00 s, from/)
    expect(told.profile).toContain('agent: Writer')
  })

  test('a twin of a run of the twin agrees with the twin', async () => {
    const options = { engine: 'virtual', profile: at('twin.yaml'), seed: 6 } as const
    await run(SCENARIO, { ...options, out: at('again') })
    const folder = join(at('again'), (await readdir(at('again')))[0]!)
    const args = ['twin', '--json', '--replays', '6', folder, '--reports', at('reports')]
    const again = JSON.parse((await cli(args)).stdout) as TwinDocument
    expect(again.verdict.outcome).toBe('learned')
    expect(partOf('workers', again).estimate).toEqual(partOf('workers').estimate)
    const { p50 } = partOf('task research', again).goodness!
    const { fitted } = partOf('task research').goodness!.p50
    expect(p50.low).toBeLessThan(fitted)
    expect(p50.high).toBeGreaterThan(fitted)
  })

  test('names every mistake before it reads', async () => {
    const { code, stderr } = await cli([
      'twin',
      at('nowhere'),
      at('crew.yaml'),
      '--out',
      at('x.txt'),
    ])
    expect(code).toBe(2)
    expect(stderr).toContain('nowhere: no run can be read there')
    expect(stderr).toContain('expected a file that ends in .yaml or .yml')
  })

  test('of too few executions is none', async () => {
    const short = { ...SCENARIO, arrivals: { rate: '2/m', for: '2m' } } as const
    await run(short, { engine: 'virtual', profile: at('crew.yaml'), seed: 5, out: at('short') })
    const folder = join(at('short'), (await readdir(at('short')))[0]!)
    const args = ['twin', '--json', folder, '--out', at('none.yaml'), '--reports', at('reports')]
    const { code, stdout } = await cli(args)
    const told = JSON.parse(stdout) as TwinDocument
    expect(code).toBe(4)
    expect(told).toMatchObject({ profile: null, file: null, verdict: { outcome: 'too-few' } })
    await expect(readFile(at('none.yaml'), 'utf8')).rejects.toThrow('ENOENT')
  })
})
