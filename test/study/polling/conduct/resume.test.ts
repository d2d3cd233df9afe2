/** A study of polling that is cut, in each of its steps: what it shows, and how it goes on. */
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { run } from '../../../../src/run/index.ts'
import { conducting } from '../../../../src/study/polling/conduct/conduct.ts'
import type { PollingDocument } from '../../../../src/study/polling/document.ts'
import { pollingSchema } from '../../../../src/study/polling/document.ts'
import type { PollingOptions } from '../../../../src/study/polling/options.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { semaphoreCrew } from '../../../support/targets/semaphore-crew.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const EXECUTIONS = 40

/** Stops the study when its calculation tells of its first steps. */
function stopping(options: PollingOptions): PollingOptions {
  const { onStart, stop } = stopper()
  return { ...options, onStart, onStep: () => stop() }
}

/** Of a crew, to a folder. */
function optionsOf(crew: FakeCrew, out: string): PollingOptions {
  const set = {
    'arrivals.clients': '8',
    'arrivals.iterations': String(EXECUTIONS),
    'polling.fixed': '400ms',
    deadline: '8s',
  }
  const run = { target: crew.url, tokens: [crew.token], set, speed: 4 }
  return { scenario: 'smoke', out, run }
}

async function wholeOf(folder: string | null, tokens: string[] = []): Promise<PollingDocument> {
  const document = await resumed(conducting, folder, { run: { tokens } })
  return pollingSchema.parse(JSON.parse(JSON.stringify(document)))
}

async function keptIn(folder: string): Promise<PollingDocument> {
  return JSON.parse(await readFile(join(folder, 'polling.json'), 'utf8')) as PollingDocument
}

describe('at a target', () => {
  test('a stop within the run: the answer from what it recorded; resume records the rest', async () => {
    await using out = await temporaryFolder()
    await using crew = await startFakeCrew({ profile: 'fast', speed: 4 })
    const { onStart, stop } = stopper()
    const { document, folder } = await conductStudy(conducting, {
      ...optionsOf(crew, out.path),
      onStart,
      onProgress: () => {
        if (crew.ledger().length > 16) stop()
      },
    })
    expect(document).toMatchObject({ ended: 'interrupted', verdict: { outcome: 'answered' } })
    expect(polling.exit(document)).toBe('interrupted')
    expect(document.source.runs).toEqual(['run-1'])
    const known = document.source.ended
    expect([known > 16, known < EXECUTIONS]).toEqual([true, true])
    expect(document.findings[0]!.message).toContain(`interrupted after ${known} executions`)
    expect(await keptIn(folder!)).toEqual(JSON.parse(JSON.stringify(document)))
    const whole = await wholeOf(folder, [crew.token])
    expect(whole).toMatchObject({ ended: 'complete', kickoffs: EXECUTIONS })
    expect(whole.source).toMatchObject({ runs: ['run-1', 'run-2'], ended: EXECUTIONS })
    expect(crew.ledger()).toHaveLength(EXECUTIONS)
  })

  test('a budget that ends: the answer from what it paid for, which a resumption repeats', async () => {
    await using out = await temporaryFolder()
    await using crew = await startFakeCrew({ profile: 'fast', speed: 4 })
    const options = optionsOf(crew, out.path)
    const { document, folder } = await conductStudy(conducting, {
      ...options,
      run: { ...options.run, budget: { kickoffs: 20 } },
    })
    expect(document).toMatchObject({ ended: 'budget', kickoffs: 20 })
    expect(document.source).toMatchObject({ runs: ['run-1'], ended: 20 })
    expect(document.recommended).not.toBeNull()
    const again = await wholeOf(folder, [crew.token])
    expect(again).toMatchObject({ ended: 'budget', kickoffs: 20, source: document.source })
    expect(again.recommended).toEqual(JSON.parse(JSON.stringify(document.recommended)))
    expect(crew.ledger()).toHaveLength(20)
  })
})

/** Runs that are late are valid all the same: what is tested is how they end. */
const BUSY_MACHINE = {
  'validity.lateness': '1h',
  'validity.utilisation': '100%',
  'validity.little': '100%',
}

const RESUME = expect.stringContaining('crewload resume') as string

/** What the nth execution takes: three of those in flight at the death outlive the study. */
function millis(n: number): number {
  return n > 14 && n < 18 ? 1_200_000 : 100
}

describe('a target that dies while executions run there for twenty minutes more', () => {
  const set = {
    'arrivals.clients': '4',
    'arrivals.iterations': '24',
    'polling.fixed': '50ms',
    'circuit.after': '1s',
    'timeouts.request': '1s',
    deadline: '20m',
    ...BUSY_MACHINE,
  }

  test.runIf(areExperimentsRun).each(['closes', 'silent'] as const)(
    '%s: the study ends, and resume goes on',
    async (death) => {
      await using folder = await temporaryFolder()
      await using crew = await semaphoreCrew({ permits: 4, millis, diesAfter: 18, death })
      const {
        document,
        folder: study,
        leftBehind,
      } = await conductStudy(conducting, {
        scenario: 'smoke',
        out: folder.path,
        run: { target: crew.url, tokens: ['any'], budget: { kickoffs: 100 }, set },
      })
      expect(document).toMatchObject({
        ended: 'target',
        verdict: { outcome: 'target-lost', reasons: [{ code: 'target-lost', remedy: RESUME }] },
      })
      expect(polling.exit(document)).toBe('unreachable')
      expect(document.durationMs).toBeLessThan(20_000)
      expect(document.source.ended).toBeGreaterThan(9)
      expect(document.recommended).not.toBeNull()
      expect(leftBehind[0]!.abandoned.length).toBeGreaterThan(0)
      expect(await keptIn(study!)).toEqual(JSON.parse(JSON.stringify(document)))
      crew.comeBack()
      const whole = await wholeOf(study, ['any'])
      expect(whole).toMatchObject({ ended: 'complete', source: { ended: 24 } })
      expect(['answered', 'inconclusive']).toContain(whole.verdict.outcome)
    },
  )
})

test.runIf(areExperimentsRun)(
  'where kickoffs alone fail, executions in flight are followed to their end',
  async () => {
    await using folder = await temporaryFolder()
    await using crew = await semaphoreCrew({
      permits: 4,
      millis: (n) => (n > 14 ? 4_000 : 100),
      diesAfter: 18,
      death: 'fails kickoffs',
    })
    const set = {
      'arrivals.clients': '4',
      'arrivals.iterations': '200',
      'arrivals.think': '100ms',
      'polling.fixed': '50ms',
      'circuit.after': '500ms',
      retry: 'none',
      deadline: '20m',
      ...BUSY_MACHINE,
    }
    const budget = { kickoffs: 300 }
    const asked = { scenario: 'smoke', out: folder.path }
    const run = { target: crew.url, tokens: ['any'], budget, set }
    const { document, leftBehind } = await conductStudy(conducting, { ...asked, run })
    expect(document).toMatchObject({ ended: 'target', verdict: { outcome: 'target-lost' } })
    expect(leftBehind).toEqual([])
    expect(document.source).toMatchObject({ ended: 18, censored: 0 })
  },
)

async function demandStopped(
  options: PollingOptions,
): Promise<{ folder: string; document: PollingDocument }> {
  const { document, folder } = await conductStudy(conducting, stopping(options))
  expect(document).toMatchObject({
    ended: 'interrupted',
    recommended: null,
    verdict: { outcome: 'inconclusive', reasons: [{ code: 'interrupted' }] },
  })
  expect(document.source.executionMs).not.toBeNull()
  expect(polling.exit(document)).toBe('interrupted')
  return { folder: folder!, document }
}

describe('a stop within the calculation shows how long executions take, and resume answers', () => {
  test('of a profile: the run is made again', async () => {
    await using out = await temporaryFolder()
    const asked: PollingOptions = { executions: 60, out: out.path, run: { profile: 'default' } }
    const { folder, document } = await demandStopped(asked)
    const whole = await wholeOf(folder)
    expect(whole).toMatchObject({ ended: 'complete', verdict: { outcome: 'answered' } })
    const { blockExecutions: _, ...source } = document.source
    expect(whole.source).toMatchObject(source)
  })

  test.runIf(areExperimentsRun)('of runs: they are read again, from any folder', async () => {
    await using out = await temporaryFolder()
    const set = { 'arrivals.for': '30m', 'arrivals.warmUp': '0s' }
    const made = await run('steady', { profile: 'default', engine: 'virtual', out: out.path, set })
    const { folder } = await demandStopped({ runs: [made.folder!], out: out.path })
    const whole = await wholeOf(folder)
    expect(whole).toMatchObject({ ended: 'complete', verdict: { outcome: 'answered' } })
  })
})

test('of a run that was killed, those in flight count as not seen to end', async () => {
  await using out = await temporaryFolder()
  const set = { 'arrivals.for': '30m', 'arrivals.warmUp': '0s' }
  const made = await run('steady', { profile: 'default', engine: 'virtual', out: out.path, set })
  const journal = join(made.folder!, 'executions.ndjson')
  const lines = (await readFile(journal, 'utf8')).split('\n')
  const cut = lines.slice(0, lines.length / 2)
  await truncate(journal, Buffer.byteLength(`${cut.join('\n')}\n`))
  const of = (type: string): number =>
    cut.filter((line) => line.startsWith(`{"type":"${type}"`)).length
  const asked = stopping({ runs: [made.folder!], out: false })
  const { executions, ended, censored } = (await conductStudy(conducting, asked)).document.source
  expect(censored).toBeGreaterThan(0)
  expect({ executions, ended }).toEqual({ executions: of('accepted'), ended: of('ended') })
  expect(censored).toBe(of('accepted') - of('ended'))
})
