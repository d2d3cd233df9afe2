/** Twins of runs in virtual time whose truth is known. */
import { cp, readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { TwinDocument } from '../../../src/study/twin/document.ts'
import { twin } from '../../../src/study/twin/study.ts'
import { withoutLedger } from '../../support/virtual-run.ts'
import { partOf, recorded, twinOf } from './recorded.ts'
import { stopper } from '../../support/studies.ts'
import { sharedFolder } from '../../support/shared-folder.ts'

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

const at = sharedFolder()

let made = ''
let document: TwinDocument

beforeAll(async () => {
  made = await recorded(at(), CREW)
  document = await twinOf([made], { replays: 6, file: at('twin.yaml') })
})

describe('a twin', () => {
  test('learns every part that the run shows, and agrees with it', () => {
    expect(twin.exit(document)).toBe('passed')
    expect(document.verdict.outcome).toBe('learned')
    expect(partOf(document, 'workers')).toMatchObject({ estimate: { value: 4, low: 4, high: 4 } })
    expect(partOf(document, 'task writing').learned.message).toMatch(/^always 8\.00 s, from/)
    expect(partOf(document, 'time outside of tasks').learned.message).toMatch(
      /^always 1\.00 s, from/,
    )
    const { p50, p95 } = partOf(document, 'task research').goodness!
    expect(p50.low).toBeLessThan(9_472)
    expect(p50.high).toBeGreaterThan(9_472)
    expect(p95.low).toBeLessThan(17_400)
    expect(p95.high).toBeGreaterThan(17_400)
    const { low, high } = partOf(document, 'failures of research').estimate!
    expect(low).toBeLessThan(0.1)
    expect(high).toBeGreaterThan(0.1)
    expect(partOf(document, 'cold start')).toMatchObject({
      identified: false,
      estimate: { value: 20_000 },
    })
    expect(document.agreement!.comparisons.every(({ agrees }) => agrees)).toBe(true)
    expect(document.agreement!.comparisons.map(({ name }) => name)).toContain(
      'wait for a worker, p95',
    )
  })

  test('says of runs of two crews that one twin is like neither', async () => {
    const other = await recorded(at(), CREW.replace('workers: 4', 'workers: 9'))
    const [finding] = (await twinOf([made, other], { replays: 0 })).findings
    expect(finding!.message).toMatch(
      /^The runs are of 2 crews, .*crew-\d.* and .*crew-\d.*: a twin of all resembles none\. Learn/,
    )
    expect(finding).toMatchObject({ code: 'different-crews', crews: expect.any(Array) as unknown })
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
    await cp(made, at('foreign'), { recursive: true })
    const told = await twinOf([await withoutLedger(at('foreign'))], { replays: 6 })
    expect(twin.exit(told)).toBe('passed')
    expect(told.source.truth).toBe('reported')
    expect(partOf(told, 'workers')).toMatchObject({ estimate: { value: 4, low: 4, high: 4 } })
    expect(partOf(told, 'task writing').learned.message).toMatch(/^always 8\.00 s, from/)
    expect(partOf(told, 'time outside of tasks').learned.message).toMatch(/^always 1\.00 s, from/)
    expect(told.profile).toContain('agent: Writer')
  })

  test('a twin of a run of the twin agrees with the twin', async () => {
    const own = await readFile(at('twin.yaml'), 'utf8')
    const again = await twinOf([await recorded(at(), own, {}, { seed: 6 })], { replays: 0 })
    expect(again.verdict.outcome).toBe('learned')
    expect(partOf(again, 'workers').estimate).toEqual(partOf(document, 'workers').estimate)
    const { p50 } = partOf(again, 'task research').goodness!
    const { fitted } = partOf(document, 'task research').goodness!.p50
    expect(p50.low).toBeLessThan(fitted)
    expect(p50.high).toBeGreaterThan(fitted)
  })

  test('a stop ends the replay under way, and says nothing of agreement', async () => {
    const { onStart, stop } = stopper()
    const cut = await twinOf([made], { replays: 6, onStart, onProgress: () => stop() })
    expect(cut).toMatchObject({ ended: 'interrupted', agreement: null, requests: 0, kickoffs: 0 })
    expect(cut.verdict.outcome).toBe('learned')
  })

  test('of too few executions is none', async () => {
    const short = await recorded(at(), CREW, { arrivals: { rate: '2/m', for: '2m' } })
    const told = await twinOf([short], { file: at('none.yaml') })
    expect(twin.exit(told)).toBe('inconclusive')
    expect(told).toMatchObject({ profile: null, file: null, verdict: { outcome: 'too-few' } })
    expect(told.verdict.reasons[0]).toMatchObject({ part: 'task research' })
    await expect(readFile(at('none.yaml'), 'utf8')).rejects.toThrow('ENOENT')
  })
})
