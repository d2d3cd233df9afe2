/** Polls, pushes alone, and pushes with a poll as a net: what is counted, against ledgers. */
import { allText } from '../../../../src/report/frame/report.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LedgerRow, WrittenProfile } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { readRun } from '../../../../src/run/folder/stored.ts'
import { conducting } from '../../../../src/study/polling/conduct/conduct.ts'
import type { PushAdvice } from '../../../../src/study/polling/document.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { withoutLedger } from '../../../support/virtual-run.ts'
import { learned, placeIn, PROFILE, recorded, SCENARIO, studied, TASK } from './pushing.ts'

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
  expect(JSON.stringify(polling.report(document).sections)).toMatch(/\(0 to 3\.2 s\)/)
})

test.runIf(areExperimentsRun)(
  'ends, missed and repeated ones are those of the ledger, failures that no hook reports too',
  async () => {
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
  },
)

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

test.runIf(areExperimentsRun)(
  'a promise that polls cannot keep within a quota, pushes keep with a net',
  async () => {
    await using folder = await temporaryFolder()
    const place = await placeIn(folder.path)
    const goals = { executions: 400, maxPolls: '90/m', delay: 'p50 < 1s' }
    const { verdict, recommended, pushes } = await studied(place, goals)
    expect([verdict.outcome, recommended]).toEqual(['impossible', null])
    expect(pushes!.better).toBe('net')
    expect(allText(verdict)).toContain('With pushes, poll every')
  },
)

test.runIf(areExperimentsRun)(
  'without webhooks nothing is said of them, and with them polls are advised as before',
  async () => {
    await using folder = await temporaryFolder()
    const place = await placeIn(folder.path)
    const { pushes, ...heard } = await studied(place, { executions: 100 })
    const { webhooks: _, ...deaf } = SCENARIO
    await writeFile(place.scenario, JSON.stringify(deaf))
    const alone = await studied(place, { executions: 100 })
    expect(pushes).toBeDefined()
    expect(Object.keys(alone)).not.toContain('pushes')
    expect(allText(alone.verdict)).not.toContain('push')
    expect(heard.front).toEqual(alone.front)
    expect(heard.recommended).toEqual(alone.recommended)
    const titles = polling.report(alone).sections.map(({ title }) => title)
    expect(titles).not.toContain('Polls, pushes, or both')
  },
)
