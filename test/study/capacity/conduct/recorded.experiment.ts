/**
 * Capacity from runs that virtual time recorded: nothing more is sent, or only what confirms it.
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../../../src/run/index.ts'
import { defineScenario } from '../../../../src/scenario/define.ts'
import { conducting } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityOptions } from '../../../../src/study/capacity/options.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { designCapacity } from '../../../../src/study/capacity/plan/plan.ts'
import { capacitySchema } from '../../../../src/study/capacity/document.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'
import { withoutLedger } from '../../../support/virtual-run.ts'

/** Four workers of a minute in the mean. */
const CREW = `
tasks:
  - { id: work, agent: Worker, duration: { gamma: { mean: 60s, cv: 0.5 } }, output: 1kB }
capacity: { workers: 4 }
`

const at = sharedFolder()
const runs: Record<'busy' | 'quiet', string> = { busy: '', quiet: '' }

async function recorded(name: string, rate: string): Promise<string> {
  const scenario = defineScenario({
    name,
    arrivals: { rate, for: '8h', process: 'poisson' },
    inputs: { topic: 'bees' },
    polling: { fixed: '5s' },
    deadline: '2h',
  })
  await run(scenario, { engine: 'virtual', profile: at('crew.yaml'), seed: 3, out: at(name) })
  return join(at(name), (await readdir(at(name)))[0]!)
}

const ASKED: CapacityOptions = {
  scenario: 'steady',
  slo: 'execution.p95 < 6m',
  within: '20%',
  simulated: 10_000,
  out: false,
  run: {},
}

async function found(
  from: string,
  more: Partial<CapacityOptions> = {},
): Promise<{ exit: string; document: CapacityDocument }> {
  const { document } = await conductStudy(conducting, { ...ASKED, from: [from], ...more })
  expect(capacitySchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
  return { exit: capacity.exit(document), document }
}

beforeAll(async () => {
  await writeFile(at('crew.yaml'), CREW)
  runs.busy = await recorded('busy', '210/h')
  runs.quiet = await recorded('quiet', '30/h')
})

describe('from a recorded run', () => {
  test('answers without a kickoff where the run confirms the model', async () => {
    const { exit, document } = await found(runs.busy)
    expect([exit, document.verdict.outcome, document.kickoffs]).toEqual(['passed', 'answered', 0])
    expect(document.model).toMatchObject({ slots: { value: 4 }, accepted: true })
    expect(document.confirmation!.run).toBe(runs.busy)
    const titles = capacity.report(document).sections.map(({ title }) => title)
    expect(titles).toContain('Recorded runs that count as evidence')
    expect(document.recorded[0]).toMatchObject({ run: runs.busy, running: 4, truth: 'ledger' })
    // Four workers of a minute saturate at 240 an hour.
    expect(document.saturation!.low).toBeLessThan(240)
    expect(document.saturation!.high).toBeGreaterThan(240)
    expect(document.capacity!.perHour).toBeGreaterThan(190)
    expect(document.capacity!.perHour).toBeLessThan(245)
  })

  test('does so by the times that a crew without a ledger reports', async () => {
    await cp(runs.busy, at('foreign'), { recursive: true })
    const { exit, document } = await found(await withoutLedger(at('foreign')))
    const { truth, slots } = document.model!
    expect([exit, truth, slots.value]).toEqual(['passed', 'reported', 4])
  })

  test('does so by the ends alone where the crew reports no times', async () => {
    await cp(runs.busy, at('silent'), { recursive: true })
    await withoutLedger(at('silent'))
    const journal = join(at('silent'), 'executions.ndjson')
    const reported = /"executionTimeSeconds":[\d.]+/g
    const text = await readFile(journal, 'utf8')
    expect(text).toMatch(reported)
    await writeFile(journal, text.replaceAll(reported, '"executionTimeSeconds":null'))
    const { exit, document } = await found(at('silent'), { within: '30%' })
    const { truth, slots } = document.model!
    expect([exit, document.verdict.outcome, truth]).toEqual(['passed', 'answered', 'polls'])
    expect([slots.low <= 4, slots.value, slots.high >= 4]).toEqual([true, 4, true])
    expect(document.saturation!.low).toBeLessThan(240)
    expect(document.saturation!.high).toBeGreaterThan(240)
  })

  test('cannot tell where the crew was not full, and says what would', async () => {
    const { exit, document } = await found(runs.quiet)
    expect([exit, document.capacity]).toEqual(['inconclusive', null])
    expect(document.verdict.reasons[0]).toMatchObject({ code: 'not-full' })
  })

  test('is not confirmed where closed clients filled the crew', async () => {
    const closed = defineScenario({
      name: 'closed',
      arrivals: { clients: 6, iterations: 600, for: '200h' },
      inputs: { topic: 'bees' },
      polling: { fixed: '15s' },
    })
    await run(closed, { engine: 'virtual', profile: at('crew.yaml'), seed: 3, out: at('closed') })
    const folder = join(at('closed'), (await readdir(at('closed')))[0]!)
    const { exit, document } = await found(folder)
    expect([exit, document.verdict.outcome]).toEqual(['inconclusive', 'unconfirmed'])
    expect(document.verdict.reasons[0]!.remedy).toContain('200 kickoffs')
    expect(document.capacity).toMatchObject({ resolved: false })
  })

  test('spares the ladder where a crew is given, and confirms on it', async () => {
    const crew = { profile: at('crew.yaml'), budget: { kickoffs: 1_000 }, seed: 1 }
    const { document } = await found(runs.busy, { run: crew })
    expect(document.ladder.map(({ clients }) => clients)).toEqual([1])
    expect(document.confirmation).toMatchObject({ run: null, executions: 200 })
    expect(document.kickoffs).toBe(225)
    expect(document.verdict.outcome).toBe('answered')
  })

  test('names every run that is no evidence before anything is sent', async () => {
    await cp(runs.quiet, at('cut'), { recursive: true })
    await rm(join(at('cut'), 'result.json'))
    const from = [at('nowhere'), at('cut'), runs.busy, runs.busy]
    const asked = { scenario: 'steady', slo: 'execution.p95 < 6m' }
    const lapsed = designCapacity({ ...asked, from: [runs.busy], run: { speed: 60 } })
    await expect(lapsed).rejects.toThrow(/it ran at speed 1/)
    const error = await designCapacity({ ...asked, from, run: {} }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      mistakes: [
        { source: runs.busy, problem: 'is named more than once' },
        { source: at('nowhere') },
        { source: at('cut'), problem: expect.stringContaining('has no result.json') as string },
      ],
    })
  })
})
