/** Polls, pushes alone, and pushes with a poll as a net: what is predicted, against runs and ledgers. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LedgerRow, WrittenProfile } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { JournalLine } from '../../../../src/execution/record/journal-lines.ts'
import { requestsIn } from '../../../../src/execution/record/request-columns.ts'
import { run } from '../../../../src/run/index.ts'
import { readRun } from '../../../../src/run/folder/stored.ts'
import type { Scenario } from '../../../../src/scenario/define.ts'
import { conducting } from '../../../../src/study/polling/conduct/conduct.ts'
import type { PushAdvice } from '../../../../src/study/polling/document.ts'
import { pollingSchema } from '../../../../src/study/polling/document.ts'
import type { PollingOptions } from '../../../../src/study/polling/options.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { withoutLedger } from '../../../support/virtual-run.ts'

const TASK = { id: 'write', agent: 'Writer' }

const PROFILE = {
  name: 'pushing',
  seed: 5,
  inputs: ['topic'],
  tasks: [{ ...TASK, duration: { lognormal: { median: '40s', p95: '90s' } } }],
  capacity: { workers: 'unlimited' },
  webhooks: { delay: '200ms', lost: '10%' },
} satisfies WrittenProfile

const SCENARIO: Scenario = {
  name: 'pushed',
  arrivals: { rate: '1/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'bees' },
  polling: { fixed: '5s' },
  webhooks: { send: ['crew'] },
  confirm: 0,
}

interface Place {
  profile: string
  scenario: string
}

async function placeIn(folder: string, profile: object = {}): Promise<Place> {
  const place = { profile: join(folder, 'crew.yaml'), scenario: join(folder, 'pushed.json') }
  await writeFile(place.profile, JSON.stringify({ ...PROFILE, ...profile }))
  await writeFile(place.scenario, JSON.stringify(SCENARIO))
  return place
}

async function studied({ profile, scenario }: Place, options: PollingOptions = {}) {
  const asked = { scenario, executions: 2_000, out: false, ...options } as const
  return (await conductStudy(conducting, { ...asked, run: { profile, ...options.run } })).document
}

/** The folder of a run in virtual time, with one arrival a second. */
async function recorded(
  { profile }: Pick<Place, 'profile'>,
  {
    executions,
    polling,
    ...options
  }: { executions: number; polling: unknown; out: string; seed?: number },
): Promise<string> {
  const arrivals = { rate: '1/s', for: `${executions}s`, process: 'uniform' }
  const scenario = { ...SCENARIO, arrivals, polling } as Scenario
  return (await run(scenario, { profile, engine: 'virtual', ...options })).folder!
}

async function learned(folder: string, options: PollingOptions = {}) {
  const asked = { runs: [folder], out: false, ...options } as const
  return (await conductStudy(conducting, asked)).document
}

/** What the client of a run would have had, had it stopped polling at the push. */
async function heardIn(
  folder: string,
): Promise<{ polls: number; delayMs: number; missed: number }> {
  const { ledger } = await readRun(folder)
  const ends = new Map(ledger!.rows.map((row) => [row.kickoff_id, row]))
  const text = await readFile(join(folder, 'executions.ndjson'), 'utf8')
  const lines = text.trim().split('\n')
  const journal = lines.map((line) => JSON.parse(line) as JournalLine)
  const pushed = new Map<string, number>()
  for (const line of journal) {
    if (line.type === 'push' && line.reports === 'completed') {
      pushed.set(line.kickoffId!, Math.min(line.atMicros, pushed.get(line.kickoffId!) ?? Infinity))
    }
  }
  let [executions, polls, delayMs, missed] = [0, 0, 0, 0]
  for (const line of journal) {
    if (line.type !== 'ended' || line.record.warmUp) continue
    const { record } = line
    const push = pushed.get(record.kickoffId!) ?? Infinity
    const sent = requestsIn(record.polls, record.intendedMicros).map((each) => each.sentMicros)
    const endMs = ends.get(record.kickoffId!)!.ended_ms!
    const endMicros = endMs * 1_000 + ledger!.clock.offsetMicros
    executions++
    if (push === Infinity) missed++
    polls += sent.filter((micros) => micros < push).length
    delayMs += (Math.min(push, record.firstDoneReceivedMicros!) - endMicros) / 1_000
  }
  return { polls: polls / executions, delayMs: delayMs / executions, missed }
}

/** What a ledger says of the executions, each with one push of its end, or with two. */
function countsOf(rows: readonly LedgerRow[]): Partial<PushAdvice> {
  const arrived = rows.map(({ pushes = [], ended_ms: endedMs }) =>
    pushes.flatMap(({ sends }) =>
      sends.flatMap(({ lost, at_ms: atMs }) => (lost ? [] : [atMs >= endedMs!])),
    ),
  )
  return {
    received: arrived.flat().length,
    repeated: arrived.filter(({ length }) => length > 1).length,
    early: arrived.filter((times) => times.includes(false)).length,
    ends: rows.length,
    missed: arrived.filter((times) => !times.includes(true)).length,
  }
}

const apart = (value: number, from: number): number => Math.abs(value / from - 1)

test('the net is predicted within 5 % of a run with it, of other executions', async () => {
  await using folder = await temporaryFolder()
  const out = folder.path
  // With few losses, chance alone sets two runs further apart.
  const place = await placeIn(out, { webhooks: { delay: '200ms', lost: '40%' } })
  const path = await recorded(place, { executions: 4_000, seed: 6, out, polling: SCENARIO.polling })
  const byLedger = await learned(path)
  await withoutLedger(path)
  const byPolls = await learned(path)
  const { polling: advised } = byLedger.pushes!.net!
  const of = { executions: 10_000, seed: 16, out, polling: advised }
  const own = await heardIn(await recorded(place, of))
  for (const [truth, document] of Object.entries({ ledger: byLedger, polls: byPolls })) {
    expect(pollingSchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
    const { source, pushes, recommended } = document
    expect(source.truth).toBe(truth)
    expect(pushes).toMatchObject({ better: 'net', early: 0, repeated: 0 })
    const { net, missedShare } = pushes!
    expect(net!.polling).toEqual(advised)
    expect(missedShare.low).toBeLessThan(0.4)
    expect(missedShare.high).toBeGreaterThan(0.4)
    expect(net!.pollsPerExecution.value).toBeLessThan(recommended!.pollsPerExecution.value)
    expect(apart(net!.pollsPerExecution.value, own.polls)).toBeLessThan(0.05)
    expect(apart(net!.detectionDelayMs!.mean, own.delayMs)).toBeLessThan(0.05)
    expect(net!.detectionDelayMs!.meanLow).toBeLessThan(own.delayMs)
    expect(net!.detectionDelayMs!.meanHigh).toBeGreaterThan(own.delayMs)
  }
})

test('without a ledger, pushes are as late however seldom the client polls', async () => {
  await using folder = await temporaryFolder()
  const place = await placeIn(folder.path, { webhooks: { delay: '200ms', lost: '2%' } })
  for (const seconds of [5, 15]) {
    const polling = { fixed: `${seconds}s` }
    const path = await recorded(place, { executions: 400, out: folder.path, polling })
    await withoutLedger(path)
    const { pushes } = await learned(path, { delay: 'mean < 1s' })
    const { mean, meanLow, meanHigh, high } = pushes!.detectionDelayMs!
    // Two errors of the mean of 391 ends, each anywhere between two polls.
    const error = (2 * seconds * 1_000) / Math.sqrt(12 * 391)
    expect(Math.abs(mean - 200)).toBeLessThan(error)
    expect(meanLow).toBeLessThan(200)
    expect(meanHigh).toBeGreaterThan(200)
    expect(meanHigh - mean).toBeCloseTo(error, -1)
    // One of twenty may be late by all that lies between two polls.
    expect(high).toBeGreaterThan(seconds * 500)
    expect(pushes!.better).toBe('net')
    const { pollsPerExecution, detectionDelayMs } = pushes!.net!
    // By the ledger, 0.55 polls; less is known from seldom polls, which buy safety with more.
    expect(pollsPerExecution.value).toBeLessThan(seconds === 5 ? 0.6 : 1.3)
    expect(detectionDelayMs!.meanHigh).toBeLessThan(1_000)
    expect(detectionDelayMs!.meanHigh - detectionDelayMs!.mean).toBeGreaterThan(error)
  }
})

test('ends at one place between two polls leave the delay of their pushes open', async () => {
  await using folder = await temporaryFolder()
  // Each push comes 0.7 s after the middle of two polls.
  const place = await placeIn(folder.path, {
    tasks: [{ ...TASK, duration: '43s' }],
    webhooks: { delay: '200ms' },
  })
  const asked = { executions: 100, out: folder.path, polling: SCENARIO.polling }
  const path = await recorded(place, asked)
  await withoutLedger(path)
  const document = await learned(path)
  const { meanLow, meanHigh } = document.pushes!.detectionDelayMs!
  expect(meanLow).toBeLessThan(200)
  expect(meanHigh).toBeCloseTo(3_200, -2)
  expect(JSON.stringify(polling.report(document).sections)).toMatch(/0(\.\d+)? ms to 3\.20 s\)/)
})

test('ends, missed and repeated ones are those of the ledger, failures that no hook reports too', async () => {
  await using folder = await temporaryFolder()
  const [task] = PROFILE.tasks
  const place = await placeIn(folder.path, {
    tasks: [{ ...task, failure: { chance: '20%' } }],
    webhooks: { ...PROFILE.webhooks, duplicated: '10%', early: '5%' },
  })
  const asked = { executions: 400, out: folder.path, polling: SCENARIO.polling }
  const path = await recorded(place, asked)
  const { pushes } = await learned(path)
  const { rows } = (await readRun(path)).ledger!
  expect(pushes).toMatchObject(countsOf(rows))
  expect(pushes!.early).toBeGreaterThan(5)
  expect(pushes!.repeated).toBeGreaterThan(10)
  expect(pushes!.missedShare.value).toBeGreaterThan(0.25)
  expect(pushes!.detectionDelayMs!.mean).toBeCloseTo(200, -1)
  await withoutLedger(path)
  const polled = await learned(path)
  const { received, repeated, early, ends, missed } = pushes!
  expect(polled.pushes).toMatchObject({ received, repeated, early, ends, missed })
  // Two errors of a mean of 260 ends, each anywhere in the 5 s of a poll.
  expect(Math.abs(polled.pushes!.detectionDelayMs!.mean - 200)).toBeLessThan(180)
  const told = JSON.stringify(polling.report(polled).sections)
  expect(told).toContain('so these delays are estimates')
})

test('over HTTP, with the ledger of the target', async () => {
  const profile = {
    ...PROFILE,
    tasks: [{ ...TASK, duration: { uniform: { min: '300ms', max: '900ms' } } }],
    webhooks: { delay: '30ms', lost: '20%' },
  } satisfies WrittenProfile
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile })
  const scenario = join(folder.path, 'pushed.json')
  const arrivals = { rate: '40/s', for: '1s' }
  const webhooks = { send: ['crew'], wait: '3s' }
  const polling = { fixed: '100ms' }
  await writeFile(scenario, JSON.stringify({ ...SCENARIO, arrivals, polling, webhooks }))
  const { document } = await conductStudy(conducting, {
    scenario,
    out: false,
    run: { target: crew.url, tokens: [crew.token], budget: { kickoffs: 40 } },
  })
  expect(document.pushes).toMatchObject(countsOf(crew.ledger()))
  expect(document.pushes!.missed).toBeGreaterThan(0)
  expect(document.pushes!.detectionDelayMs!.mean).toBeGreaterThan(29)
})

test('a promise that polls cannot keep within a quota, pushes keep with a net', async () => {
  await using folder = await temporaryFolder()
  const place = await placeIn(folder.path)
  const goals = { executions: 400, maxPolls: '90/m', delay: 'p50 < 1s' }
  const { verdict, recommended, pushes } = await studied(place, goals)
  expect([verdict.outcome, recommended]).toEqual(['impossible', null])
  expect(pushes!.better).toBe('net')
  expect(verdict.sentence).toContain('With pushes, poll every')
})

test('without webhooks nothing is said of them, and with them polls are advised as before', async () => {
  await using folder = await temporaryFolder()
  const place = await placeIn(folder.path)
  const { pushes, ...heard } = await studied(place, { executions: 100 })
  const { webhooks: _, ...deaf } = SCENARIO
  await writeFile(place.scenario, JSON.stringify(deaf))
  const alone = await studied(place, { executions: 100 })
  expect(pushes).toBeDefined()
  expect(Object.keys(alone)).not.toContain('pushes')
  expect(alone.verdict.sentence).not.toContain('push')
  expect(heard.front).toEqual(alone.front)
  expect(heard.recommended).toEqual(alone.recommended)
  const titles = polling.report(alone).sections.map(({ title }) => title)
  expect(titles).not.toContain('Polls, pushes, or both')
})
