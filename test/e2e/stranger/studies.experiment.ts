/** The studies of a crew that is not ours, against what it knows. */
import { upperMedian } from '../../../src/result/statistics/rising.ts'
import { describe, expect, test } from 'vitest'
import { allText } from '../../../src/report/frame/report.ts'
import { capacitySchema } from '../../../src/study/capacity/document.ts'
import { gateSchema } from '../../../src/study/comparing/gate/document.ts'
import type { LimitsDocument } from '../../../src/study/limits/document.ts'
import { limitsSchema } from '../../../src/study/limits/document.ts'
import { twinSchema } from '../../../src/study/twin/document.ts'
import type { Stranger, StrangersTruth } from '../../support/targets/stranger.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('studies of a crew that is not ours')

const WORKERS = 3
/** Kickoffs that a search on a machine that is busy with other tests makes within a minute. */
const FEW = ['--yes', '--max-kickoffs', '700']

/** The time until then in which at least one execution waited, in seconds. */
function waitedUntil(until: number, executions: StrangersTruth['executions']): number {
  let [sum, counted] = [0, 0]
  for (const { kickedOff, begun } of executions.toSorted((a, b) => a.kickedOff - b.kickedOff)) {
    const end = Math.min(until, begun!)
    if (begun! - kickedOff < 0.02 || end <= counted) continue
    sum += end - Math.max(counted, kickedOff)
    counted = end
  }
  return sum
}

describe.skipIf(python === null).concurrent('a crew that is not ours', () => {
  test('has its workers counted, and the rate that they can finish', async () => {
    // Long beside what a machine that is busy with other tests is late by.
    const tasks = [{ name: 'answer', agent: 'Worker', mean: 0.4, cv: 0.3 }]
    await using crew = await startStranger({ workers: WORKERS, tasks, firstCall: 0.5 })
    await using owner = await newOwner(`
      arrivals: { rate: '1/s', for: '1m' },
      polling: { fixed: '50ms' }`)
    const asked = ['--slo', 'execution.p95 < 3s', '--within', '30%', '--target', crew.url]
    const args = ['capacity', 'scenario.mjs', ...asked, '--yes', '--max-kickoffs', '400', '--json']
    const { code, stdout } = await owner.ask(...args)
    const document = capacitySchema.parse(JSON.parse(stdout))
    expect([code, document.verdict.outcome]).toEqual([0, 'answered'])
    const { executions } = await crew.truth()
    const seconds = executions.map(({ begun, ended }) => ended! - begun!)
    const perHour = (WORKERS * 3_600 * seconds.length) / seconds.reduce((a, b) => a + b, 0)
    expect(document.model!.slots).toEqual({ value: WORKERS, low: WORKERS, high: WORKERS })
    const { saturation, capacity } = document
    expect(saturation!.low).toBeLessThan(perHour * 1.05)
    expect(saturation!.high).toBeGreaterThan(perHour * 0.95)
    expect(capacity!.perHour).toBeLessThan(perHour * 1.05)
    expect(capacity!.perHour).toBeGreaterThan(perHour * 0.6)
  })

  test('that waits for a quota is told so, and that more workers bring little', async () => {
    // Two tasks of 130 ms in all: three workers would do 83,000 an hour, and the quota allows 45,000.
    const callSeconds = 0.04
    await using crew = await startStranger({ workers: WORKERS, callSeconds, setUp: 0 })
    await using owner = await newOwner(`
      arrivals: { rate: '1/s', for: '1m' },
      polling: { fixed: '30ms' }`)
    const asked = ['--slo', 'execution.p95 < 2s', '--within', '30%', '--target', crew.url]
    const args = ['capacity', 'scenario.mjs', ...asked, ...FEW, '--json']
    const { stdout } = await owner.ask(...args)
    const { limit, sharedPerHour, oneMoreWorker, capacity } = capacitySchema.parse(
      JSON.parse(stdout),
    )
    expect(limit!.kind).toBe('shared')
    const perHour = 3_600 / (2 * callSeconds)
    expect(sharedPerHour!.low).toBeLessThan(perHour * 1.05)
    expect(sharedPerHour!.high).toBeGreaterThan(perHour * 0.85)
    expect(oneMoreWorker!.high).toBeLessThan(1.15 * capacity!.perHour)
  })

  test('whose workers scale is answered as scaled', async () => {
    const tasks = [{ name: 'answer', agent: 'Worker', mean: 1, cv: 0.2 }]
    const scaling = { to: 4, upAfter: 4, downAfter: 300 }
    await using crew = await startStranger({ workers: 2, scaling, tasks, setUp: 0 })
    await using owner = await newOwner(`
      arrivals: { rate: '1/s', for: '1m' },
      polling: { fixed: '100ms' }`)
    const asked = ['--slo', 'execution.p95 < 4s', '--within', '40%', '--target', crew.url]
    const budget = ['--yes', '--max-kickoffs', '340']
    const args = ['capacity', 'scenario.mjs', ...asked, ...budget, '--json']
    const { code, stdout } = await owner.ask(...args)
    const { model, capacity, scaling: grown, verdict } = capacitySchema.parse(JSON.parse(stdout))
    const { workers, executions } = await crew.truth()
    // It stays scaled between the loads: each worker comes once.
    expect(workers.map(({ count }) => count)).toEqual([1, 2, 3, 4])
    expect([code, verdict.outcome, model!.slots.value]).toEqual([0, 'answered', 4])
    expect(grown).toMatchObject({ from: 2, to: 4, stands: true })
    const waited = waitedUntil(workers.at(-1)!.at, executions)
    expect(waited).toBeGreaterThan(2 * scaling.upAfter * 0.95)
    expect(grown!.tookMs / 1_000 / waited).toBeGreaterThan(0.75)
    expect(grown!.tookMs / 1_000 / waited).toBeLessThan(1.25)
    const lasted = executions.map(({ begun, ended }) => ended! - begun!)
    const each = lasted.reduce((a, b) => a + b, 0) / lasted.length
    expect(capacity!.perHour).toBeLessThan((4 * 3_600 * 1.05) / each)
    expect(capacity!.perHour).toBeGreaterThan((3 * 3_600) / each)
    expect(allText(verdict)).toContain('That is the crew as scaled: it grew from 2 to 4 workers')
    expect(grown!.coldStart!.caughtUpMs).toBeGreaterThan(grown!.tookMs)
  })

  test('has a twin with its workers, its agents, and all of the time that it takes', async () => {
    // Nearly half of the time is set-up, which no task reports.
    await using crew = await startStranger({ workers: WORKERS, setUp: 0.06 })
    await using owner = await newOwner(`
      arrivals: { clients: 5, iterations: 80 },
      polling: { fixed: '30ms' }`)
    await owner.ask('run', 'scenario.mjs', '--target', crew.url, ...CONSENT)
    const [run] = await owner.runs()
    const { stdout } = await owner.ask('twin', run!, '--replays', '5', '--json')
    const { parts, profile, agreement } = twinSchema.parse(JSON.parse(stdout))
    const part = (name: string): (typeof parts)[number] => parts.find((p) => p.name === name)!
    const { low, high } = part('workers').estimate!
    expect([low <= WORKERS, WORKERS <= (high ?? Infinity)]).toEqual([true, true])
    expect(high ?? Infinity).toBeLessThan(2 * WORKERS)
    expect(profile).toMatch(/agent: Researcher[^]*agent: Writer/)

    const { executions } = await crew.truth()
    const outside = executions.map(
      ({ begun, ended, taskSeconds }) => ended! - begun! - taskSeconds.reduce((a, b) => a + b, 0),
    )
    const times: [string, number[]][] = [
      ['task research', executions.map(({ taskSeconds }) => taskSeconds[0]!)],
      ['task writing', executions.map(({ taskSeconds }) => taskSeconds[1]!)],
      ['time outside of tasks', outside],
    ]
    for (const [name, seconds] of times) {
      const { p50, n } = part(name).goodness!
      expect([name, n]).toEqual([name, executions.length])
      expect([name, Math.abs(p50.fitted / 1_000 / upperMedian(seconds) - 1) < 0.1]).toEqual([
        name,
        true,
      ])
    }
    const stay = agreement!.comparisons.find(({ name }) => name === 'time in the crew, mean')!
    expect(Math.abs(stay.twin / stay.observed - 1)).toBeLessThan(0.2)
  })
})

const LIMIT = { requests: 20, seconds: 3 }
const MOST_STUDIES = 4

/** Other work on this machine delayed so many requests that no window is claimed. */
function isLate({ operations }: LimitsDocument): boolean {
  return operations.status!.reasons.some(({ code }) => code === 'late')
}

describe.skipIf(python === null)('a limiter in the manner of slowapi', () => {
  test.each(['path', 'client'] as const)('is found, with a counter for each %s', async (scope) => {
    await using crew = await startStranger({ limit: { ...LIMIT, scope } })
    await using owner = await newOwner('')
    const what = ['--max-kickoffs', '1', '--operations', 'status', '--yes']
    const ask = async (): Promise<{ code: number | null; document: LimitsDocument }> => {
      const { code, stdout } = await owner.ask('limits', '--target', crew.url, ...what, '--json')
      return { code, document: limitsSchema.parse(JSON.parse(stdout)) }
    }
    let studies = 1
    let { code, document } = await ask()
    for (; isLate(document) && studies < MOST_STUDIES; studies++) ({ code, document } = await ask())
    // On a machine that stays busy, that is what is said: no window is claimed.
    if (isLate(document) && code === 4) return
    const { verdict, operations, kickoffs } = document
    expect([code, verdict.outcome, kickoffs]).toEqual([0, 'answered', 1])
    const { limit, windowMs, kind, aligned, scope: found } = operations.status!
    expect([kind, limit!.value]).toEqual(['fixed-window', LIMIT.requests])
    // Whether it begins by a first request may stay unknown on a busy machine.
    expect(aligned).not.toBe('calendar')
    expect(Math.abs(windowMs!.value / 1_000 / LIMIT.seconds - 1)).toBeLessThan(0.05)
    expect(windowMs!.low).toBeLessThanOrEqual(LIMIT.seconds * 1_000)
    expect(windowMs!.high).toBeGreaterThanOrEqual(LIMIT.seconds * 1_000)
    expect(found.path).toBe(scope === 'path')
    const { requests } = await crew.truth()
    expect(requests.filter(({ path }) => path === '/kickoff')).toHaveLength(studies)
  })
})

/** Without a queue, and with times beside which those of a busy machine are small. */
const CREW = {
  workers: 30,
  tasks: [
    { name: 'research', agent: 'Researcher', mean: 0.35, cv: 0.1 },
    { name: 'writing', agent: 'Writer', mean: 0.25, cv: 0.1 },
  ],
}

const SCENARIO = `
  arrivals: { rate: '15/s', for: '2s', process: 'uniform' },
  polling: { fixed: '30ms' }`

async function medianMs(crew: Stranger): Promise<number> {
  const { executions } = await crew.truth()
  const took = executions.map(({ kickedOff, ended }) => (ended! - kickedOff) * 1_000)
  return took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]!
}

describe.skipIf(python === null).concurrent('a gate', () => {
  test.each([
    ['the same version', 1, 0, 'pass'],
    ['tasks that take 25 % longer', 1.25, 1, 'fail'],
  ] as const)('answers %s', async (_version, slower, exitCode, decision) => {
    await using base = await startStranger(CREW)
    await using candidate = await startStranger({ ...CREW, slower })
    await using owner = await newOwner(SCENARIO)
    const sides = ['--target', candidate.url, '--baseline-target', base.url]
    const what = ['--metrics', 'execution.p50', '--margin', '25%', '--runs', '6']
    const args = ['gate', 'scenario.mjs', ...sides, ...what, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const document = gateSchema.parse(JSON.parse(stdout))
    expect([code, document.decision]).toEqual([exitCode, decision])
    const { change } = document.metrics.find(({ name }) => name === 'execution.p50')!
    if (change === null || !('ratio' in change)) throw new Error('expected a ratio')
    const ratio = (await medianMs(candidate)) / (await medianMs(base))
    expect(change.low).toBeLessThan(ratio)
    expect(change.high).toBeGreaterThan(ratio)
  })
})
