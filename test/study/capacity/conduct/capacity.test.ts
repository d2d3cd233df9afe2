/** A search in virtual time: answered, cut and resumed, and out of budget. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conducting } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import { capacitySchema } from '../../../../src/study/capacity/document.ts'
import type { CapacityOptions } from '../../../../src/study/capacity/options.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

/** Ten workers, a minute and a half in the mean. */
const OPTIONS: CapacityOptions = {
  scenario: 'steady',
  slo: 'execution.p95 < 5m, outcome.unserved < 2%',
  within: '20%',
  simulated: 10_000,
  out: false,
  run: { profile: 'default', budget: { kickoffs: 1_500 } },
}

async function found(options: Partial<CapacityOptions>): Promise<CapacityDocument> {
  const run = { ...OPTIONS.run, ...options.run }
  return (await conductStudy(conducting, { ...OPTIONS, ...options, run })).document
}

/** Who is turned away does not come again. */
const NO_RETRIES = { 'retry.kickoff': '0' }

const MINUTE = 60_000_000

describe('a crew of ten workers', () => {
  test('is answered, with its workers and an interval', async () => {
    const document = await found({ expect: '300/h' })
    expect(capacitySchema.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined()
    const { verdict, capacity: rate, model, saturation, binding, inFlight, ladder } = document
    expect([verdict.outcome, capacity.exit(document)]).toEqual(['answered', 'passed'])
    expect(rate).toMatchObject({ resolved: true })
    expect(rate!.perHour).toBeGreaterThan(330)
    expect(rate!.perHour).toBeLessThan(450)
    expect(saturation!.perHour).toBeGreaterThan(rate!.perHour)
    expect(model).toMatchObject({ slots: { value: 10 }, accepted: true, truth: 'ledger' })
    const tasks = model!.service.map(({ task }) => task)
    expect(tasks).toEqual([null, 'research', 'analysis', 'writing'])
    const [whole, ...parts] = model!.service.map(({ full }) => full.mean)
    expect(parts.reduce((sum, mean) => sum + mean, 0) / whole!).toBeCloseTo(1, 1)
    expect(binding).toMatchObject({ metric: 'execution.p95' })
    expect(inFlight!.value).toBeGreaterThan(8)
    expect(document.limit).toMatchObject({ kind: 'workers', tasks: [] })
    expect(document.oneMoreWorker!.high).toBeGreaterThan(1.05 * rate!.perHour)
    expect(document.kickoffs).toBeLessThanOrEqual(1_500)
    const residuals = ladder.map(({ littleResidual }) => littleResidual ?? 0)
    expect(Math.max(...residuals)).toBeLessThan(0.05)
  })

  test.runIf(areExperimentsRun)(
    'near saturation, its curve meets the bound at the capacity that is told',
    async () => {
      const slo = 'execution.p95 < 12m'
      const { capacity: rate, curve } = await found({ slo, simulated: 600_000 })
      const { value } = curve.find(({ perHour }) => perHour === rate!.perHour)!
      expect(value! / 720_000).toBeCloseTo(1, 2)
    },
  )

  test('in a time-lapse has the rates and times of the wall clock, and says so once', async () => {
    const {
      capacity: rate,
      saturation,
      model,
      plan,
      findings,
      verdict,
    } = await found({ expect: '300/h', run: { speed: 10, budget: { kickoffs: 600 } } })
    expect(verdict.outcome).toBe('answered')
    expect(plan.slo).toContain('execution.p95 < 30s')
    expect(plan.expectedPerHour).toBe(3_000)
    expect(rate!.perHour).toBeGreaterThan(3_300)
    expect(rate!.perHour).toBeLessThan(4_500)
    expect(saturation!.perHour).toBeGreaterThan(rate!.perHour)
    expect(model!.service[0]!.full.mean / 9_000).toBeCloseTo(1, 0)
    const notes = findings.filter(({ message }) => message.includes('one second stands for 10 s'))
    expect(notes).toHaveLength(1)
  })

  test.runIf(areExperimentsRun)('cannot be told within a small budget, which is kept', async () => {
    const document = await found({ within: '1%', run: { budget: { kickoffs: 300 } } })
    expect([document.verdict.outcome, capacity.exit(document)]).toEqual([
      'unresolved',
      'inconclusive',
    ])
    expect(document.capacity).toMatchObject({ resolved: false })
    const sent = { stopped: false, outOfTime: false, kickoffs: 300 }
    expect(document.verdict.reasons[0]).toMatchObject({ code: 'wide', within: 0.01, sent })
    expect(document.kickoffs).toBeLessThanOrEqual(300)
  })

  test('is told as far as it is known where its time or its money ends', async () => {
    const shortest = await found({ run: { budget: { wallMicros: 20 * MINUTE } } })
    expect(shortest.verdict.reasons).toMatchObject([
      { code: 'not-full', remedy: expect.stringContaining('--max-duration') as string },
    ])
    const short = await found({ run: { budget: { wallMicros: 60 * MINUTE } } })
    expect([short.verdict.outcome, capacity.exit(short)]).toEqual(['unresolved', 'inconclusive'])
    expect(short.verdict.reasons.map(({ code }) => code)).toContain('not-confirmed')
    expect(short.saturation!.perHour).toBeGreaterThan(330)
    // What time stopped is no execution that never ends.
    expect(short.model!.neverShare).toBe(0)
    const poor = await found({ run: { budget: {}, maxCost: 3, costPerKickoff: 0.02 } })
    expect([poor.verdict.outcome, capacity.exit(poor)]).toEqual(['unresolved', 'inconclusive'])
    expect(poor.plan).toMatchObject({ budget: { kickoffs: 150 }, cost: 3 })
    expect(poor.kickoffs).toBe(150)
    expect(poor.capacity).toMatchObject({ resolved: false })
  })
})

/** The file of a crew of half a minute. */
async function crewIn(folder: string, more: string): Promise<string> {
  const path = join(folder, 'crew.yaml')
  const task = '{ id: work, agent: Worker, duration: { gamma: { mean: 30s, cv: 0.3 } } }'
  await writeFile(path, `tasks: [${task}]\n${more}`)
  return path
}

test.runIf(areExperimentsRun)(
  'time that ends once the workers are known leaves what is known of them',
  async () => {
    await using folder = await temporaryFolder()
    const profile = await crewIn(folder.path, 'capacity: { workers: 6 }\n')
    const foundWithin = async (minutes: number): Promise<CapacityDocument> =>
      found({
        slo: 'execution.p95 < 90s',
        run: { profile, budget: { wallMicros: minutes * MINUTE } },
      })
    const [few, some] = [await foundWithin(8), await foundWithin(12)]
    expect([few.capacity, few.verdict.outcome]).toEqual([null, 'unresolved'])
    expect(few.verdict.reasons).toMatchObject([
      {
        code: 'not-full',
        message: expect.stringMatching(
          /^the crew has 6 workers, and \d+ executions began .* a first estimate needs 20$/,
        ) as string,
        remedy: 'allow more time with --max-duration',
      },
    ])
    // Six workers of half a minute finish 720 an hour.
    expect(some.capacity!.low).toBeLessThan(720)
    expect(some.capacity!.high).toBeGreaterThan(600)
    expect(some.capacity).toMatchObject({ resolved: false })
    expect(some.verdict.reasons.map(({ code }) => code)).toContain('not-confirmed')
  },
)

describe('kickoffs that are turned away', () => {
  const slo = 'execution.p95 < 90s, outcome.rejected < 2%'

  test.runIf(areExperimentsRun)(
    'while as many wait as may are those of a queue of limited length',
    async () => {
      await using folder = await temporaryFolder()
      const profile = await crewIn(folder.path, 'capacity: { workers: 6, queueLimit: 6 }\n')
      const { verdict, model, binding, ladder } = await found({
        slo,
        run: { profile, set: NO_RETRIES },
      })
      expect(ladder.some(({ refused }) => refused > 0)).toBe(true)
      expect(model).toMatchObject({ slots: { value: 6 }, queueLimit: 6, accepted: true })
      expect([verdict.outcome, binding!.metric]).toEqual(['answered', 'outcome.rejected'])
    },
  )

  test('before that are those of a limiter, which is refused', async () => {
    await using folder = await temporaryFolder()
    const front = '{ name: front, operations: [kickoff], tokenBucket: { rate: 8/m, capacity: 6 } }'
    const more = `capacity: { workers: 6 }\nlimits: { rules: [${front}] }\n`
    const profile = await crewIn(folder.path, more)
    const { verdict, capacity: rate } = await found({ slo, run: { profile, set: NO_RETRIES } })
    expect([verdict.outcome, rate, verdict.reasons[0]!.code]).toEqual(['refused', null, 'limiter'])
  })
})

test('no more executions run at once than are allowed, and no limit of the crew is told', async () => {
  const document = await found({ maxInFlight: 4 })
  expect([document.verdict.outcome, capacity.exit(document)]).toEqual(['unlimited', 'inconclusive'])
  expect(document.atLeast!).toBeGreaterThan(0)
  const inCrew = document.ladder.map(({ clients }) => clients)
  expect(Math.max(...inCrew)).toBeLessThanOrEqual(4)
})

describe('a pool of HTTP in front of the crew', () => {
  const POLLING = `export default {
    name: 'ask', arrivals: { rate: '1/m', for: '1h' }, inputs: { topic: 'tides' },
    polling: { fixed: '2s' }, deadline: '10m',
  }`

  async function behind(size: number, seed = 1): Promise<CapacityDocument> {
    await using folder = await temporaryFolder()
    const latency = '{ status: 900ms, kickoff: 900ms }'
    const http = `http: { latency: ${latency}, pool: { size: ${size} } }\n`
    const profile = await crewIn(folder.path, `capacity: { workers: 6 }\n${http}`)
    const scenario = join(folder.path, 'ask.mjs')
    await writeFile(scenario, POLLING)
    const slo = 'execution.p95 < 90s'
    return await found({ scenario, slo, run: { profile, budget: { kickoffs: 600 }, seed } })
  }

  test.each(
    areExperimentsRun
      ? [
          [1, 1],
          [2, 4],
        ]
      : [[1, 1]],
  )('of %i that polls fill is refused: its queue is not simulated, seed %i', async (size, seed) => {
    const { verdict, capacity: rate, model, curve, probes } = await behind(size, seed)
    const { code, message } = verdict.reasons.at(-1)!
    expect([model?.accepted ?? false, curve]).toEqual([false, []])
    // Bounds are those that it was tried at.
    expect(probes.length).toBeGreaterThan(0)
    expect([verdict.outcome, rate, code]).toEqual(['refused', null, 'http-grows'])
    expect(message).toMatch(/they add \d[\d.]* s to an execution on average, and [\d.]+ m?s with/)
  })

  test.runIf(areExperimentsRun)('that has room changes nothing', async () => {
    expect((await behind(20)).verdict.outcome).toBe('answered')
  })
})

test('a search that was cut keeps what it learned, and is resumed to the same answer', async () => {
  await using folder = await temporaryFolder()
  const run = { ...OPTIONS.run, budget: { kickoffs: 250 } }
  const options = { out: folder.path, run }
  const whole = await found(options)
  const { onStart, stop } = stopper()
  let told = 0
  const cut = await conductStudy(conducting, {
    ...OPTIONS,
    ...options,
    onStart,
    tell: () => {
      if (++told === 7) stop()
    },
  })
  expect(cut.document.ended).toBe('interrupted')
  expect(capacity.exit(cut.document)).toBe('interrupted')
  expect(cut.document.ladder).toHaveLength(7)
  expect(cut.document.saturation).not.toBeNull()
  const document = await resumed(conducting, cut.folder)
  expect(document).toMatchObject({ ended: 'complete', id: cut.document.id })
  const { capacity: rate, confirmation, ladder } = document
  expect(rate).toEqual(whole.capacity)
  expect(ladder).toEqual(whole.ladder)
  expect(confirmation).toEqual(whole.confirmation)
  const written: unknown = JSON.parse(await readFile(join(cut.folder!, 'capacity.json'), 'utf8'))
  expect(capacitySchema.safeParse(written).error).toBeUndefined()
})

test('a search that was stopped before it filled the crew says so, and not that a budget ended', async () => {
  const { onStart, stop } = stopper()
  const { document } = await conductStudy(conducting, { ...OPTIONS, onStart, tell: () => stop() })
  const { sentence, reasons } = document.verdict
  expect(sentence).toBe('Not known yet: the search was stopped before it had filled the crew.')
  expect(reasons[0]!.remedy).toBe('continue the search with crewload resume')
})
