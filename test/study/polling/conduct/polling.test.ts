/**
 * A study of polling from a profile, from run folders and from a target, and every mistake told.
 */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { ResultDocument } from '../../../../src/result/document.ts'
import { UserError } from '../../../../src/base/mistakes.ts'
import { EXIT } from '../../../../src/cli/exit-codes.ts'
import { run } from '../../../../src/run/index.ts'
import { conducting, readRecordings } from '../../../../src/study/polling/conduct/conduct.ts'
import type { PollingDocument } from '../../../../src/study/polling/document.ts'
import { pollingSchema } from '../../../../src/study/polling/document.ts'
import type { PollingOptions } from '../../../../src/study/polling/options.ts'
import { designPolling } from '../../../../src/study/polling/plan/plan.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { awaitedMistakes } from '../../../support/mistakes.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

async function studied(options: PollingOptions): Promise<PollingDocument> {
  return (await conductStudy(conducting, { out: false, ...options })).document
}

async function recorded(folder: string, set: Record<string, string>): Promise<string> {
  const outcome = await run('steady', {
    profile: 'fast',
    engine: 'virtual',
    out: folder,
    set: { 'arrivals.warmUp': '0s', ...set },
  })
  return outcome.folder!
}

async function toldOf(runs: string[]): Promise<string> {
  const { findings } = await studied({ runs })
  return findings.map(({ message }) => message).join()
}

/** Of its mistakes. */
async function sourcesOf(options: PollingOptions): Promise<string[]> {
  return (await awaitedMistakes(designPolling(options))).map(({ source }) => source)
}

describe('from a profile, in virtual time', () => {
  const options: PollingOptions = { executions: 100, run: { profile: 'default' } }

  test('prices: the cost is below that of today’s polling, which is told as the run measured it', async () => {
    const document = await studied({ ...options, pollPrice: 1, delayPrice: 2 })
    expect(pollingSchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
    const { recommended, current, verdict, source, front } = document
    expect(verdict.outcome).toBe('answered')
    expect(polling.exit(document)).toBe('passed')
    expect(source).toMatchObject({ kind: 'virtual', truth: 'ledger', censored: 0 })
    expect(recommended!.cost!).toBeLessThan(current!.cost!)
    for (const { pollsPerExecution: polls, detectionDelayMs: delay } of [recommended!, ...front]) {
      expect(polls.low).toBeLessThanOrEqual(polls.value)
      expect(polls.high).toBeGreaterThanOrEqual(polls.value)
      expect(delay!.low).toBeLessThanOrEqual(delay!.p95)
      expect(delay!.high).toBeGreaterThanOrEqual(delay!.p95)
    }
    const polls = front.map(({ pollsPerExecution }) => pollsPerExecution.value)
    expect(polls).toEqual(polls.toSorted((a, b) => a - b))
    const { observed, pollsPerExecution, detectionDelayMs } = current!
    expect(pollsPerExecution.value / observed.pollsPerExecution!).toBeCloseTo(1, 1)
    // Some 110 executions are replayed with other draws of the jitter than the run had.
    expect(Math.abs(detectionDelayMs!.mean / observed.delayMeanMs! - 1)).toBeLessThan(0.15)
  })

  test('in a time-lapse, what is asked is divided, and all times are wall times', async () => {
    const document = await studied({
      ...options,
      delay: 'p95 < 5s',
      maxPolls: '500/m',
      run: { ...options.run, speed: 10 },
    })
    expect(document.goal).toMatchObject({
      promise: { text: 'p95 < 500ms' },
      quota: { text: '5000/m' },
    })
    expect(document.recommended!.detectionDelayMs!.high).toBeLessThan(500)
    expect(document.findings.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/one second stands for 10 s/),
    )
  })

  test.runIf(areExperimentsRun)(
    'settings from runs of a time-lapse are those of a scenario file, and goals are divided',
    async () => {
      await using folder = await temporaryFolder()
      const made = await run('steady', {
        profile: 'default',
        engine: 'virtual',
        speed: 60,
        out: folder.path,
        set: { polling: '{"fixed":"6s"}', 'arrivals.for': '20m', 'arrivals.warmUp': '0s' },
      })
      const { goal, current } = await studied({ runs: [made.folder!], delay: 'p95 < 6s' })
      expect(goal.promise!.text).toBe('p95 < 100ms')
      expect(current!.polling).toMatchObject({ fixed: '6s' })
      expect(current!.words).toContain('100')
    },
  )

  test.runIf(areExperimentsRun)(
    'waits for a quota of the language model are part of what is polled',
    async () => {
      await using folder = await temporaryFolder()
      const profile = join(folder.path, 'crew.yaml')
      const task = 'agent: Writer, duration: 20s'
      const quota = 'workers: 20, quota: { calls: 5/m, perTask: 2 }'
      await writeFile(profile, `tasks: [{ id: write, ${task} }]\ncapacity: { ${quota} }\n`)
      // Steady sends two kickoffs a minute: 4 of 5 calls.
      const asked = { executions: 60, delay: 'p95 < 5s', run: { profile } }
      const { verdict, source, recommended } = await studied(asked)
      expect(verdict.outcome).toBe('answered')
      expect(source.executionMs!.p50).toBeGreaterThan(22_000)
      expect(source.executionMs!.p95).toBeGreaterThan(40_000)
      expect(recommended!.detectionDelayMs!.high).toBeLessThan(5_000)
    },
  )

  test.runIf(areExperimentsRun)(
    'in a time-lapse, what is named as the nearest is possible',
    async () => {
      const run = { ...options.run, speed: 10 }
      const asked = { executions: 50, maxPolls: '1/m', run }
      const { verdict } = await studied(asked)
      expect(verdict).toMatchObject({ outcome: 'impossible', nearest: { delay: null, both: null } })
      const { maxPolls } = verdict.nearest!
      expect(verdict.reasons[0]!.remedy).toContain(maxPolls!)
      const again = await studied({ ...asked, maxPolls: maxPolls! })
      expect(again.verdict).toMatchObject({ outcome: 'answered', nearest: null })
      // Of two digits: a tenth less is not enough.
      const less = `${0.9 * Number.parseFloat(maxPolls!)}/m`
      expect((await studied({ ...asked, maxPolls: less })).verdict.outcome).not.toBe('answered')
    },
  )
})

describe('from run folders', () => {
  test.runIf(areExperimentsRun)('several as one; today is what all of them polled by', async () => {
    await using folder = await temporaryFolder()
    const set = { 'polling.fixed': '200ms', 'arrivals.for': '20m' }
    const runs = [await recorded(folder.path, set), await recorded(folder.path, set)]
    const { source, current, place } = await studied({ runs })
    expect(source).toMatchObject({ kind: 'runs', executions: 192, truth: 'ledger' })
    expect(current).toMatchObject({ family: 'fixed', polling: { fixed: '200ms' } })
    expect(place.kind).toBe('virtual')
    const { pollsPerExecution, observed } = current!
    expect(pollsPerExecution.value / observed.pollsPerExecution!).toBeCloseTo(1, 2)
  })

  test('a band that crosses the promise: the best so far, which may change', async () => {
    await using folder = await temporaryFolder()
    const document = await studied({
      runs: [await recorded(folder.path, { 'arrivals.for': '4m' })],
      delay: 'p95 < 12ms',
    })
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive' })
    expect(document.verdict.reasons[0]!.message).toContain('crosses p95 < 12ms')
    expect(document.recommended).not.toBeNull()
    expect(polling.report(document).sections[0]!.title).toBe('Best so far, which may change')
  })

  test('too few executions: exit code 4, and how many more would do', async () => {
    await using folder = await temporaryFolder()
    const runs = [await recorded(folder.path, { 'arrivals.for': '1m' })]
    const document = await studied({ runs })
    expect(document.source.ended).toBeLessThan(10)
    expect(EXIT[polling.exit(document)]).toBe(4)
    const { verdict, recommended, source } = document
    expect([verdict.reasons.map(({ code }) => code), recommended]).toEqual([['too-few'], null])
    const minutes = 1 + Math.ceil(verdict.moreExecutions! / source.executions)
    const set = { 'arrivals.for': `${minutes}m` }
    const enough = await studied({ runs: [await recorded(folder.path, set)] })
    expect(enough.verdict.reasons.map(({ code }) => code)).not.toContain('too-few')
  })

  test('those of different crews are read with a warning', async () => {
    await using folder = await temporaryFolder()
    const set = { 'arrivals.for': '40s', 'arrivals.warmUp': '0s', 'arrivals.process': 'uniform' }
    const made = async (profile: string, seed: number): Promise<string> =>
      (await run('steady', { profile, engine: 'virtual', out: folder.path, set, seed })).folder!
    const one = await made('fast', 1)
    const [same, other] = [await made('fast', 2), await made('flaky', 1)]
    expect(await toldOf([one, same])).not.toContain('different crews')
    expect(await toldOf([one, same, other])).toMatch(/of different crews \(.*fast.*, .*flaky.*\)/)
  })

  test.runIf(areExperimentsRun)('one that was INVALID is read with a warning', async () => {
    await using folder = await temporaryFolder()
    const path = await recorded(folder.path, { 'arrivals.for': '20m' })
    const file = join(path, 'result.json')
    const result = JSON.parse(await readFile(file, 'utf8')) as ResultDocument
    const reasons = [{ code: 'lateness', message: 'requests went out late', remedy: '', p99Ms: 9 }]
    const verdict = { ...result.verdict, outcome: 'invalid', valid: false, reasons }
    await writeFile(file, JSON.stringify({ ...result, verdict }))
    const { verdict: own, findings } = await studied({ runs: [path] })
    expect(own.outcome).toBe('answered')
    expect(findings[0]).toMatchObject({
      severity: 'warning',
      run: basename(path),
      cut: null,
      outcome: 'invalid',
      reasons,
    })
    expect(findings[0]!.message).toMatch(/was INVALID \(requests went out late\)/)
    const valid = await recorded(folder.path, { 'arrivals.for': '1m' })
    expect(await toldOf([valid])).not.toContain('INVALID')
  })

  test('results and ledgers are read once: what was found while planning counts', async () => {
    await using folder = await temporaryFolder()
    const path = await recorded(folder.path, { 'arrivals.for': '2m' })
    const { runs } = await designPolling({ runs: [path] })
    for (const file of ['result.json', 'ledger.ndjson', 'clock.json']) await rm(join(path, file))
    const { place, recording } = await readRecordings(runs, () => false)
    expect(place).toEqual({ kind: 'virtual', profile: expect.stringContaining('fast') as string })
    expect(recording.truth).toBe('ledger')
  })

  test('a ledger that cannot be read is told with all other mistakes', async () => {
    await using folder = await temporaryFolder()
    const path = await recorded(folder.path, { 'arrivals.for': '2m' })
    await writeFile(join(path, 'ledger.ndjson'), 'no JSON')
    expect(await sourcesOf({ runs: [path], maxPolls: 'many' })).toEqual([
      '--max-polls',
      join(path, 'ledger.ndjson'),
    ])
  })

  test('a folder without a run is a mistake, and leaves no folder', async () => {
    await using folder = await temporaryFolder()
    const runs = [join(folder.path, 'none')]
    const out = join(folder.path, 'reports')
    await expect(studied({ runs, out })).rejects.toThrow(UserError)
    expect(await readdir(folder.path)).toEqual([])
  })
})

test('from a target: a run is made, within the budget, and its folder stays', async () => {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: 'fast' })
  const { document, folder: study } = await conductStudy(conducting, {
    scenario: 'smoke',
    out: folder.path,
    run: {
      target: crew.url,
      tokens: [crew.token],
      set: { 'arrivals.clients': '8', 'arrivals.iterations': '14', 'polling.fixed': '100ms' },
      budget: { kickoffs: 15 },
    },
  })
  expect(document.source).toMatchObject({ kind: 'target', runs: ['run-1'] })
  expect(document.kickoffs).toBeLessThanOrEqual(15)
  const { source } = await studied({ runs: [join(study!, 'run-1')] })
  expect(source.executions).toBeGreaterThan(5)
})
