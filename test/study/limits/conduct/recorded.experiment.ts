/** Limits are inferred from the answers that runs recorded, and nothing is sent. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Scenario } from '../../../../src/scenario/define.ts'
import { defineScenario } from '../../../../src/scenario/define.ts'
import { run } from '../../../../src/run/index.ts'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { limitsSchema } from '../../../../src/study/limits/document.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { profileWith } from '../profiles.ts'

const POLLS = '{ name: polls, operations: [status], slidingLog: { limit: 40, window: 20s } }'

/** The folder of a run whose polls are refused again and again. */
async function madeRun(
  folder: string,
  rules: readonly string[],
  scenario: Partial<Scenario> = {},
  speed = 1,
): Promise<string> {
  const profile = await profileWith(folder, ...rules)
  const made = await run(
    defineScenario({
      name: 'made-up',
      arrivals: { rate: '0.5/s', for: '2m' },
      inputs: { topic: 'bees' },
      polling: { fixed: '3s' },
      deadline: '60s',
      ...scenario,
    }),
    { engine: 'virtual', profile, out: folder, speed },
  )
  return made.folder!
}

async function learnt(...from: readonly string[]): Promise<LimitsDocument> {
  const { document } = await conductStudy(conducting, { from, out: false, run: {} })
  expect(limitsSchema.parse(document)).toEqual(document)
  return document
}

async function fromRun(
  rules: readonly string[],
  scenario: Partial<Scenario> = {},
): Promise<LimitsDocument> {
  await using folder = await temporaryFolder()
  return await learnt(await madeRun(folder.path, rules, scenario))
}

/** As a kill leaves it: the first lines of it, up to a share. */
async function cutJournal(folder: string, share: number): Promise<void> {
  const file = join(folder, 'executions.ndjson')
  const lines = (await readFile(file, 'utf8')).split('\n')
  await writeFile(file, `${lines.slice(0, Math.floor(share * lines.length)).join('\n')}\n`)
}

/** The journal with another text in place of one, everywhere. */
async function rewriteJournal(folder: string, from: string | RegExp, to: string): Promise<void> {
  const file = join(folder, 'executions.ndjson')
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(from, to))
}

function messagesOf({ findings }: LimitsDocument): string {
  return findings.map(({ message }) => message).join('\n')
}

test('a limit that the polls of a run met is found in its journal', async () => {
  const document = await fromRun([POLLS])
  expect(limitsSchema.parse(document)).toEqual(document)
  expect(document).toMatchObject({
    requests: 0,
    kickoffs: 0,
    plan: { operations: ['status', 'kickoff'] },
  })
  const { status, kickoff } = document.operations
  expect(status).toMatchObject({ kind: 'sliding-log', limit: { value: 40 } })
  expect(Math.abs(status!.windowMs!.value / 20_000 - 1)).toBeLessThan(0.05)
  expect(status!.scope).toEqual({
    token: null,
    path: null,
    sharedWith: null,
    tried: [],
  })
  expect(kickoff).toMatchObject({ kind: 'none', requests: 60 })
  expect(document.settings!.pollsPerSecond).toBeLessThanOrEqual(1.8)
  expect(document.findings.at(-1)!.message).toContain('they hide who else uses a limit')
})

test.each([
  ['calendar', 5, '20m', ''],
  ['first-hit', 4, '8m', ', from: first hit'],
  ['first-hit', 5, '8m', ', from: first hit'],
] as const)(
  'a window of 25 polls in 15 s is found, and no alignment but its own (%s, seed %i)',
  async (aligned, seed, duration, from) => {
    const window = `fixedWindow: { limit: 25, window: 15s${from} }`
    const rule = `{ name: polls, operations: [status], ${window} }`
    const arrivals = { rate: '40/m', for: duration }
    const { verdict, operations } = await fromRun([rule], { arrivals, seed })
    expect(verdict.outcome).toBe('answered')
    expect(operations.status).toMatchObject({ kind: 'fixed-window', limit: { value: 25 } })
    expect([aligned, null]).toContain(operations.status!.aligned)
    const { low = 0, high = 0 } = operations.status!.windowMs ?? {}
    expect(high - low).toBeLessThan(300)
    expect(low <= 15_000 && 15_000 <= high).toBe(true)
  },
)

test('polls that confirm an end count against a limit too', async () => {
  const without = await fromRun([], { confirm: 0 })
  const confirmed = await fromRun([], { confirm: 1 })
  const [polls, all] = [without, confirmed].map(({ operations }) => operations.status!.requests)
  // Each of 60 executions is confirmed at its end, and once more at that of the run.
  expect(all! - polls!).toBe(120)
})

test('a run in which nothing is let in again cannot tell', async () => {
  const rule = '{ name: polls, operations: [status], fixedWindow: { limit: 20, window: 1h } }'
  const document = await fromRun([rule])
  expect(document.verdict.outcome).toBe('answered-in-part')
  expect(document.verdict.reasons[0]).toMatchObject({
    message: expect.stringContaining('no recorded request was let in after the first') as string,
    remedy: expect.stringContaining('crewload limits --target') as string,
  })
})

const CREW = (rule: string): string => `inputs: [topic]
tasks:
  - { id: work, agent: Worker, duration: { lognormal: { median: 20s, p95: 40s } }, output: 100B }
limits: { rules: [{ name: polls, operations: [status], ${rule} }] }
`

describe('what explains the first refusals has to explain the rest', () => {
  test.each([
    ['slidingCounter: { limit: 40, window: 20s }', 'sliding-counter', 'windowMs', 20_000],
    ['tokenBucket: { rate: 3/s, capacity: 10 }', 'token-bucket', 'ratePerSecond', 3],
  ] as const)('%s', async (rule, kind, parameter, truth) => {
    await using folder = await temporaryFolder()
    const profile = join(folder.path, 'crew.yaml')
    await writeFile(profile, CREW(rule))
    const scenario = defineScenario({
      name: 's',
      arrivals: { rate: '30/m', for: '4m' },
      inputs: { topic: 'bees' },
      polling: { fixed: '3s' },
      deadline: '90s',
    })
    const made = await run(scenario, { engine: 'virtual', profile, out: folder.path })
    const { operations } = await learnt(made.folder!)
    expect(operations.status).toMatchObject({ kind, outcome: 'settled' })
    const { low = 0, high = 0 } = operations.status![parameter] ?? {}
    expect(low <= truth && truth <= high).toBe(true)
    expect(operations.status!.open).toEqual([])
  })
})

describe('runs of which something is missing', () => {
  test('what is known beside missing polls of a cut run is left out, and told', async () => {
    await using folder = await temporaryFolder()
    const made = await madeRun(folder.path, [POLLS])
    const whole = await learnt(made)
    await cutJournal(made, 0.6)
    const cut = await learnt(made)
    expect(messagesOf(whole)).not.toContain('left out')
    expect(messagesOf(cut)).toMatch(
      /status: \d+ recorded requests left out, because the journal ends before \d+ executions/,
    )
    expect(cut.operations.status).toMatchObject({ kind: 'sliding-log', limit: { value: 40 } })
    expect(cut.operations.status!.requests).toBeLessThan(whole.operations.status!.requests)
  })

  test('of a run in which nothing has ended, nothing is said, and why', async () => {
    await using folder = await temporaryFolder()
    const made = await madeRun(folder.path, [])
    await cutJournal(made, 0.01)
    const { verdict, plan } = await learnt(made)
    expect(plan.operations).toEqual([])
    expect(verdict).toMatchObject({
      outcome: 'cannot-tell',
      reasons: [
        { code: 'no-requests', message: expect.stringMatching(/no execution has ended/) as string },
      ],
    })
  })

  test('polls that all failed show no absence of a limit', async () => {
    await using folder = await temporaryFolder()
    const made = await madeRun(folder.path, [], { confirm: 0 })
    await rewriteJournal(made, /("polls":{.*?"answer":)\[200(?:,200)*\]/g, '$1[500]')
    await rewriteJournal(
      made,
      /"polls":{"dueMicros":\[(\d+)[^\]]*\],"lateMicros":\[(\d+)[^\]]*\],"waitMicros":\[(\d+)[^\]]*\],"serviceMicros":\[(\d+)[^\]]*\],"answer":\[500\],"fresh":\[(\d)[^\]]*\],"retry":\[(\d)[^\]]*\]/g,
      '"polls":{"dueMicros":[$1],"lateMicros":[$2],"waitMicros":[$3],"serviceMicros":[$4],"answer":[500],"fresh":[$5],"retry":[$6]',
    )
    const { verdict, operations } = await learnt(made)
    expect(operations.status).toMatchObject({ kind: 'unknown', outcome: 'target-fails' })
    expect(verdict.reasons[0]!.message).toContain('recorded requests failed')
  })
})

describe('several runs', () => {
  test('of crews of their own, or of different targets, are refused by name', async () => {
    await using folder = await temporaryFolder()
    const runs = [await madeRun(folder.path, [POLLS]), await madeRun(folder.path, [])]
    await expect(conductStudy(conducting, { from: runs, out: false, run: {} })).rejects.toThrow(
      `expected one run, for each has a fake crew of its own (found ${runs[0]}: virtual time, fake crew`,
    )
    for (const [i, each] of runs.entries()) {
      const there = { kind: 'deployment', target: `http://127.0.0.1:${i + 1}` }
      await rewriteJournal(each, /"place":\{[^}]*\}/g, `"place":${JSON.stringify(there)}`)
    }
    await expect(conductStudy(conducting, { from: runs, out: false, run: {} })).rejects.toThrow(
      /found .*: http:\/\/127\.0\.0\.1:1; .*: http:\/\/127\.0\.0\.1:2/,
    )
  })

  test('that are one and the same count once', async () => {
    await using folder = await temporaryFolder()
    const made = await madeRun(folder.path, [POLLS])
    const once = await learnt(made)
    const twice = await learnt(made, made)
    expect(twice.operations).toEqual(once.operations)
  })
})

test('of a time-lapse, times are those of the wall clock, and it is told once', async () => {
  await using folder = await temporaryFolder()
  const { operations, ...document } = await learnt(await madeRun(folder.path, [POLLS], {}, 10))
  const { low = 0, high = 0 } = operations.status!.windowMs ?? {}
  expect(low <= 2_000 && 2_000 <= high).toBe(true)
  expect(messagesOf({ operations, ...document })).toContain('one second stands for 10 s')
})

test('a wait that a quota may have asked for is no Retry-After', async () => {
  await using folder = await temporaryFolder()
  const made = await madeRun(folder.path, [POLLS])
  // As a quota with a fraction of a second would be recorded.
  await rewriteJournal(made, /("micros":\d+)000000/g, '$1500000')
  const document = await learnt(made)
  const { refusal, headers } = document.operations.status!
  expect(refusal!.headers).toEqual({})
  expect(refusal!.retryAfterMs! % 1_000).toBe(500)
  expect(headers!.dialect).toBe('Retry-After or a used-up quota')
  expect(messagesOf(document)).not.toMatch(/HTTP allows|no Retry-After/)
})

test('a target that refuses with 403 is no target without a limit', async () => {
  await using folder = await temporaryFolder()
  const made = await madeRun(folder.path, [POLLS])
  await rewriteJournal(made, /(?<=[[,])429(?=[\],])/g, '403')
  const { status } = (await learnt(made)).operations
  expect(status).toMatchObject({
    kind: 'sliding-log',
    limit: { value: 40 },
    refusal: { status: 403 },
  })
})
