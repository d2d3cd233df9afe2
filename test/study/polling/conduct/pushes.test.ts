/** Polls, pushes alone, and pushes with a poll as a net: what is predicted, against runs and ledgers. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

async function simulated(place: Place, { net }: PushAdvice, seed: number) {
  await using folder = await temporaryFolder()
  const scenario = {
    ...SCENARIO,
    arrivals: { rate: '1/s', for: '2001s', process: 'uniform' },
    polling: net!.polling,
  } as unknown as Scenario
  const options = { profile: place.profile, seed, engine: 'virtual', out: folder.path } as const
  const outcome = await run(scenario, options)
  return await heardIn(outcome.folder!)
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

test('the net is predicted within 5 % of a run with it', async () => {
  await using folder = await temporaryFolder()
  const place = await placeIn(folder.path)
  const document = await studied(place, { run: { seed: 3 } })
  expect(pollingSchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
  const { pushes, recommended } = document
  expect(pushes).toMatchObject({ better: 'net', early: 0, repeated: 0 })
  const { net, missedShare, detectionDelayMs } = pushes!
  expect(missedShare.low).toBeLessThan(0.1)
  expect(missedShare.high).toBeGreaterThan(0.1)
  expect(detectionDelayMs!.mean).toBeCloseTo(200, -1)
  const own = await simulated(place, pushes!, 3)
  expect(own.missed).toBe(pushes!.missed)
  expect(apart(net!.pollsPerExecution.value, own.polls)).toBeLessThan(0.05)
  expect(apart(net!.detectionDelayMs!.mean, own.delayMs)).toBeLessThan(0.05)
  expect(net!.pollsPerExecution.value).toBeLessThan(recommended!.pollsPerExecution.value)
})

test('ends, missed and repeated ones are those of the ledger, failures that no hook reports too', async () => {
  await using folder = await temporaryFolder()
  const [task] = PROFILE.tasks
  const place = await placeIn(folder.path, {
    tasks: [{ ...task, failure: { chance: '20%' } }],
    webhooks: { ...PROFILE.webhooks, duplicated: '10%', early: '5%' },
  })
  const scenario = { ...SCENARIO, arrivals: { rate: '1/s', for: '400s', process: 'uniform' } }
  const made = await run(scenario as Scenario, {
    profile: place.profile,
    engine: 'virtual',
    out: folder.path,
  })
  const { pushes } = (await conductStudy(conducting, { runs: [made.folder!], out: false })).document
  const { rows } = (await readRun(made.folder!)).ledger!
  expect(pushes).toMatchObject(countsOf(rows))
  expect(pushes!.early).toBeGreaterThan(5)
  expect(pushes!.repeated).toBeGreaterThan(10)
  expect(pushes!.missedShare.value).toBeGreaterThan(0.25)
  for (const file of ['ledger.ndjson', 'clock.json']) await rm(join(made.folder!, file))
  const asked = { runs: [made.folder!], out: false } as const
  const polled = (await conductStudy(conducting, asked)).document
  const { received, repeated, early, ends, missed } = pushes!
  expect(polled.pushes).toMatchObject({ received, repeated, early, ends, missed })
  // Each is between 200 ms and the 5 s of a poll.
  expect(polled.pushes!.detectionDelayMs!.mean).toBeGreaterThan(200)
  expect(polled.pushes!.detectionDelayMs!.mean).toBeLessThan(2_500)
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
  const crew = await startFakeCrew({ profile })
  onTestFinished(async () => crew.stop())
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
