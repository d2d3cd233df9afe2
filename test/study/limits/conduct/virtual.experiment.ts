import { allText } from '../../../../src/report/frame/report.ts'
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { limitsSchema } from '../../../../src/study/limits/document.ts'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import type { LimitsOptions } from '../../../../src/study/limits/options.ts'
import type { Scenario } from '../../../../src/scenario/define.ts'
import { defineScenario } from '../../../../src/scenario/define.ts'
import { planScenario } from '../../../../src/scenario/schema/index.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { profileTelling, profileWith } from '../profiles.ts'

/** `headers`: the dialect in which the crew tells of its limits; `more`: of its profile. */
async function study(
  rules: readonly string[],
  options: Partial<LimitsOptions> = {},
  headers = 'none',
  more = '',
): Promise<LimitsDocument> {
  await using folder = await temporaryFolder()
  const profile = await profileTelling(folder.path, headers, ...rules)
  await appendFile(profile, more)
  const { document } = await conductStudy(conducting, { out: false, ...options, run: { profile } })
  expect(limitsSchema.parse(document)).toEqual(document)
  return document
}

function messages({ findings }: LimitsDocument): string[] {
  return findings.map(({ message }) => message)
}

describe('limits in virtual time', () => {
  test('each operation has its own, and what is recommended is a scenario as it stands', async () => {
    const document = await study([
      '{ name: polls, operations: [status], slidingLog: { limit: 30, window: 10s } }',
      '{ name: names, operations: [inputs], per: all, tokenBucket: { rate: 5/s, capacity: 20 } }',
    ])
    expect(document.verdict.outcome).toBe('answered')
    const { status, inputs, kickoff } = document.operations
    expect(kickoff).toBeNull()
    expect(status).toMatchObject({ kind: 'sliding-log', limit: { value: 30 } })
    expect(Math.abs(status!.windowMs!.value / 10_000 - 1)).toBeLessThan(0.05)
    // The evidence of inputs begins with its own experiments, not with the greeting.
    expect(inputs!.evidence[0]!.atMs).toBeLessThan(0)
    expect(inputs!.evidence.some(({ atMs }) => atMs === 0)).toBe(true)
    expect(status!.scope).toEqual({
      token: true,
      path: false,
      sharedWith: [],
      tried: ['inputs'],
    })
    expect(inputs).toMatchObject({
      kind: 'token-bucket',
      capacity: { value: 20 },
      sameAs: ['leaky-bucket'],
    })
    expect(inputs!.ratePerSecond!.value).toBeCloseTo(5, 0)
    expect(inputs!.scope.token).toBe(false)
    expect(status!.safePerSecond).toBeLessThanOrEqual(3)
    expect(status!.safePerSecond).toBeGreaterThan(2.8)
    expect(document.settings!.example.intervalMs).toBe(4_000)
    const { scenario } = document.settings!
    expect(scenario).toBe(
      "polling: { fixed: '4s' },\n" +
        "retry: { backoff: { initial: '400ms', factor: 2, max: '11s', jitter: 'full' } },\n" +
        'honourRetryAfter: true,\n',
    )
    const lines = parse(`{${scenario}}`) as Partial<Scenario>
    const arrivals = { rate: '1/s', for: '10s' } as const
    const pasted = defineScenario({ name: 'pasted', arrivals, inputs: { topic: 'bees' }, ...lines })
    const { polling, retry } = planScenario(pasted, { source: 'pasted' })
    expect(polling).toMatchObject({ kind: 'fixed', everyMicros: 4_000_000 })
    expect(retry).toMatchObject({ backoff: { initialMicros: 400_000, maxMicros: 11_000_000 } })
  })

  test.each([
    ['draft-10', 'status, inputs', ['inputs']],
    ['draft-6', 'status', []],
  ])('what %s counts tells who shares the limit of %s', async (dialect, operations, sharedWith) => {
    const rule = `{ name: polls, operations: [${operations}], fixedWindow: { limit: 300, window: 1m } }`
    const { status } = (await study([rule], {}, dialect)).operations
    expect(status).toMatchObject({ kind: 'fixed-window', limit: { value: 300 } })
    expect(status!.scope).toEqual({ token: true, path: false, sharedWith, tried: ['inputs'] })
    expect(status!.requests).toBeLessThanOrEqual(60)
  })

  test('three at once, where also a refusal takes hundreds of milliseconds, is no rate', async () => {
    const latency = 'http: { latency: { status: { uniform: { min: 200ms, max: 400ms } } } }\n'
    const rule = '{ name: three, operations: [status], per: all, concurrency: { limit: 3 } }'
    for (const seed of [1, 2, 3]) {
      const asked = { seed, operations: ['status'] } as const
      const { verdict, operations, settings } = await study([rule], asked, 'none', latency)
      const { kind } = operations.status!
      expect(verdict.outcome === 'cannot-tell' || kind === 'concurrency').toBe(true)
      expect(verdict.reasons[0]).toMatchObject({ code: 'at-once' })
      expect(settings).toBeNull()
    }
  })

  test('requests to an operation of the same limit are nobody else’s', async () => {
    const rule =
      '{ name: all, operations: [status, inputs], fixedWindow: { limit: 20, window: 10s } }'
    const document = await study([rule], {}, 'draft-10')
    expect(document.operations.status!.scope.sharedWith).toEqual(['inputs'])
    expect(document.operations.inputs).toMatchObject({ limit: { value: 20 }, others: 0 })
    expect(messages(document).join()).not.toContain('somebody else')
    expect(document.operations.inputs!.reasons).toEqual([])
  })

  test.each([
    ['one of each token and of status alone', 'status', 'token', 'limit: 1, window: 4s', [1, 2, 3]],
    ['one that is shared by all', 'status, inputs', 'all', 'limit: 1, window: 4s', [1]],
  ])('%s, which those that look use up', async (_, operations, per, log, seeds) => {
    const isShared = per === 'all'
    for (const seed of seeds) {
      const rule = `{ name: one, operations: [${operations}], per: ${per}, slidingLog: { ${log} } }`
      const { status } = (await study([rule], { seed })).operations
      expect(status!.scope).toEqual({
        token: !isShared,
        path: false,
        sharedWith: isShared ? ['inputs'] : [],
        tried: ['inputs'],
      })
    }
  })

  test.each([
    ['holds requests back', 'leakyBucket: { rate: 2/s, burst: 10, excess: delayed }'],
    ['gains some within a round trip', 'tokenBucket: { rate: 20/s, capacity: 10 }'],
  ])('a bucket that %s is told of all who share it, and of no others', async (_, bucket) => {
    for (const seed of [1, 2, 3]) {
      const operations = ['status', 'inputs'] as const
      const shared = await study(
        [`{ name: all, operations: [status, inputs], per: all, ${bucket} }`],
        { seed, operations },
      )
      const apart = await study([`{ name: own, operations: [status], per: token, ${bucket} }`], {
        seed,
        operations,
      })
      const tried = { path: false, tried: ['inputs'] }
      expect(shared.operations.status!.scope).toEqual({
        token: false,
        sharedWith: ['inputs'],
        ...tried,
      })
      expect(apart.operations.status!.scope).toEqual({ token: true, sharedWith: [], ...tried })
    }
  })

  test('a count that a fast bucket raises meanwhile calls no operation apart', async () => {
    const rule =
      '{ name: all, operations: [status, inputs], leakyBucket: { rate: 20/s, burst: 50 } }'
    const latency = '{ lognormal: { median: 20ms, p95: 80ms, cap: 2s } }'
    const slow = `http: { latency: { status: ${latency}, inputs: ${latency} } }\n`
    for (const seed of [1, 2, 3, 4]) {
      const document = await study([rule], { seed, maxRequests: 400 }, 'draft-10', slow)
      const { status, inputs } = document.operations
      expect(status!.scope.sharedWith).not.toEqual([])
      expect(inputs!.scope.sharedWith).not.toEqual([])
    }
  })

  test.each(['none', 'draft-6'])(
    'headers %s: each execution has its own limit',
    async (headers) => {
      const rule =
        '{ name: paths, operations: [status], quota: path, fixedWindow: { limit: 12, window: 6s } }'
      const document = await study([rule], { operations: ['status'] }, headers)
      const { verdict, operations, settings } = document
      expect(operations.status!.scope).toMatchObject({ path: true, token: true })
      expect(settings).toMatchObject({ each: true, inFlight: [] })
      // Ten in flight would have to wait for six seconds, if they shared it.
      expect(settings!.example.intervalMs).toBeLessThan(1_000)
      expect(allText(verdict)).toMatch(
        /^Send at most 1\.\d+ polls per second for each execution\. /,
      )
    },
  )

  test('what is answered leads, whatever is left open beside it', async () => {
    const rules = [
      '{ name: names, operations: [inputs], slidingLog: { limit: 10, window: 3s } }',
      '{ name: polls, operations: [status], slidingCounter: { limit: 120, window: 60s } }',
    ]
    const document = await study(rules, { operations: ['status', 'inputs'], maxRequests: 320 })
    const { status, inputs } = document.operations
    expect([status!.outcome === 'settled', inputs!.outcome === 'settled']).toEqual([false, true])
    expect(document.verdict.outcome).toBe('answered-in-part')
    expect(allText(document.verdict)).toMatch(/^inputs: 10 requests in 3\.00 s, .*\. status: /)
  })

  test('a kickoff or two that met no limit leave the answer whole', async () => {
    const rule = '{ name: polls, operations: [status], slidingLog: { limit: 10, window: 3s } }'
    const asked = { operations: ['status', 'kickoff'], maxKickoffs: 3 } as const
    const { verdict, operations } = await study([rule], asked)
    expect(verdict.outcome).toBe('answered')
    expect(operations.kickoff).toMatchObject({ kind: 'none', outcome: 'budget-spent' })
    expect(allText(verdict)).toContain('kickoff: no limit met, at least ')
  })

  test('an operation with a small limit of its own is not told to share', async () => {
    const document = await study(
      [
        '{ name: polls, operations: [status], slidingLog: { limit: 20, window: 5s } }',
        '{ name: names, operations: [inputs], fixedWindow: { limit: 1, window: 10s } }',
      ],
      { operations: ['status', 'inputs'] },
    )
    const { scope } = document.operations.status!
    expect(scope).toMatchObject({ sharedWith: null, tried: [] })
  })

  test('a guess is told as one, and no rate is recommended', async () => {
    const document = await study(
      ['{ name: polls, operations: [status], slidingLog: { limit: 30, window: 10s } }'],
      { operations: ['status'], maxRequests: 60 },
    )
    const { verdict, settings, operations } = document
    expect(verdict.outcome).toBe('cannot-tell')
    expect(allText(verdict)).toMatch(/^status: not certain, perhaps \(\d+ %\) /)
    expect(operations.status!.safePerSecond).toBeNull()
    expect(settings).toBeNull()
  })

  test('a limit that operations share is told as one', async () => {
    const document = await study([
      '{ name: all, operations: [status, inputs], slidingLog: { limit: 20, window: 5s } }',
    ])
    expect(document.operations.status!.scope.sharedWith).toEqual(['inputs'])
    expect(messages(document)).toContainEqual(
      'status and inputs share one limit: requests of all of them count together within 5.00 s',
    )
    expect(document.findings.filter(({ code }) => code === 'shared-limit')).toHaveLength(1)
  })

  test('one that does not meet the limit that it shares is not told as without one', async () => {
    const document = await study(
      ['{ name: all, operations: [status, inputs], slidingLog: { limit: 150, window: 5s } }'],
      { maxRequests: 1_500 },
    )
    const { status, inputs } = document.operations
    expect(status!.scope.sharedWith).toEqual(['inputs'])
    expect(inputs).toMatchObject({ kind: 'none', scope: { sharedWith: ['status'] } })
    expect(allText(document.verdict)).toContain('inputs: no limit met but the one of status')
    expect(messages(document)).toContainEqual(
      expect.stringContaining('status and inputs share one limit: '),
    )
  })

  test.each([
    ['a second fixed window', 'fixedWindow: { limit: 10, window: 1s }'],
    ['a window beside a bucket', 'tokenBucket: { rate: 5/s, capacity: 10 }'],
  ])('%s is met by a steady client, and told', async (_, first) => {
    const document = await study(
      [
        `{ name: fast, operations: [status], ${first} }`,
        '{ name: slow, operations: [status], fixedWindow: { limit: 100, window: 1m } }',
      ],
      { operations: ['status'] },
    )
    const { status } = document.operations
    expect((status!.limit ?? status!.capacity)!.value).toBe(10)
    expect(status!.also).toHaveLength(1)
    const { limit, windowMs } = status!.also[0]!
    expect(limit!.low).toBeLessThanOrEqual(100)
    expect(limit!.high).toBeGreaterThanOrEqual(100)
    expect(windowMs!.low).toBeLessThanOrEqual(60_000)
    expect(windowMs!.high).toBeGreaterThanOrEqual(60_000)
    expect(status!.safePerSecond).toBeLessThanOrEqual(100 / 60)
    expect(allText(document.verdict)).toContain('; and about')
  })

  test('limits that headers tell beside the first are kept by the safe rate', async () => {
    const rules = [
      '{ name: burst, operations: [status], fixedWindow: { limit: 20, window: 10s } }',
      '{ name: hourly, operations: [status], fixedWindow: { limit: 900, window: 1h } }',
    ]
    const { operations, verdict } = await study(rules, { operations: ['status'] }, 'draft-10')
    expect(operations.status).toMatchObject({
      limit: { value: 20 },
      safePerSecond: 0.25,
      also: [{ basis: 'promised', limit: { value: 900 }, windowMs: { value: 3_600_000 } }],
    })
    expect(allText(verdict)).toContain('900 requests in 1 h 00 min, as headers promise')
  })

  test('one limit is told as one, and the safe rate has been kept', async () => {
    const document = await study(
      ['{ name: polls, operations: [status], fixedWindow: { limit: 10, window: 1s } }'],
      { operations: ['status'] },
    )
    const { status } = document.operations
    expect(status!.also).toEqual([])
    expect(status!.requests).toBeGreaterThan(400)
    const { answer } = status!.evidence.at(-20)!
    expect(answer).toBe('accepted')
  })

  test('without a limit none is made up; a folder has the document, its reports and each probe', async () => {
    await using folder = await temporaryFolder()
    const profile = await profileWith(folder.path)
    const { document, ...outcome } = await conductStudy(conducting, {
      out: folder.path,
      run: { profile },
    })
    const { status, inputs } = document.operations
    expect(status!.kind).toBe('none')
    expect(inputs).toMatchObject({ kind: 'none', outcome: 'settled' })
    // A client asks for them once in a run.
    expect(inputs!.requests).toBeLessThanOrEqual(133)
    expect(inputs!.triedPerSecond).toBeGreaterThanOrEqual(64)
    expect(outcome.unwritten).toBeNull()
    const files = await readdir(outcome.folder!)
    expect(files).toEqual(
      expect.arrayContaining(['limits.json', 'report.html', 'summary.md', 'junit.xml']),
    )
    const probes = await readFile(join(outcome.folder!, 'probes.ndjson'), 'utf8')
    expect(probes.trim().split('\n')).toHaveLength(document.requests)
  })

  test.each([20, 40, 100])(
    'a budget of %i requests leaves some for each operation, and tells what would settle it',
    async (maxRequests) => {
      const { verdict, operations, ...document } = await study(
        ['{ name: polls, operations: [status], slidingLog: { limit: 90, window: 20s } }'],
        { maxRequests },
      )
      expect(document.requests).toBeLessThanOrEqual(maxRequests)
      const { status, inputs } = operations
      expect(document.requests).toBe(status!.requests + inputs!.requests + 1)
      expect(verdict.outcome).toBe('cannot-tell')
      for (const name of ['status', 'inputs'] as const) {
        expect(operations[name]).toMatchObject({ kind: 'none', outcome: 'budget-spent' })
        expect(operations[name]!.requests).toBeGreaterThan(maxRequests / 5)
        expect(verdict.reasons).toContainEqual({
          code: 'budget-spent',
          message: expect.stringMatching(`${name}: .* requests met no limit; more may`) as string,
          remedy: 'give it more requests with --max-requests',
          operation: name,
          recorded: false,
          kind: 'none',
          runnerUp: null,
          requests: expect.any(Number) as number,
        })
      }
    },
  )

  test('a limit of more kickoffs than may be sent is told as at least so many', async () => {
    const { verdict, operations } = await study(
      ['{ name: starts, operations: [kickoff], fixedWindow: { limit: 30, window: 1m } }'],
      { maxKickoffs: 6, operations: ['kickoff'] },
    )
    expect(operations.kickoff!.requests).toBe(5)
    expect(verdict).toEqual({
      outcome: 'cannot-tell',
      sentence:
        'kickoff: no limit met, at least 5 requests within a second (none of 5 was refused).',
      reasons: [
        {
          code: 'budget-spent',
          message: 'kickoff: 5 requests met no limit; more may meet one',
          remedy: 'give it more kickoffs with --max-kickoffs, if they are worth it',
          operation: 'kickoff',
          recorded: false,
          kind: 'none',
          runnerUp: null,
          requests: 5,
        },
      ],
    })
  })

  test('a limiter that refuses the greeting of the second token with 403 has not refused it', async () => {
    const refusal = 'refusal: { status: 403, retryAfter: seconds }'
    const rule = `{ name: all, operations: [inputs], per: all, ${refusal}, slidingLog: { limit: 1, window: 4s } }`
    const { inputs } = (await study([rule], { operations: ['inputs'] })).operations
    expect(inputs).toMatchObject({
      kind: 'token-bucket',
      capacity: { value: 1 },
      refusal: { status: 403 },
    })
  })

  test('a kickoff that a limit refuses is tried again within its budget', async () => {
    const rule = '{ name: all, per: all, slidingLog: { limit: 2, window: 4s } }'
    const operations = ['status'] as const
    const document = await study([rule], { operations, maxKickoffs: 3 })
    expect(document.kickoffs).toBe(2)
    expect(document.operations.status).toMatchObject({ kind: 'sliding-log', limit: { value: 2 } })
    await expect(study([rule], { operations, maxKickoffs: 1 })).rejects.toThrow(
      /refused, as by a rate limit.*--kickoff-id.*answered 429/s,
    )
  })

  test('requests to others that use the same limit are no other client’s', async () => {
    const bucket = 'tokenBucket: { rate: 5/s, capacity: 20 }, rejected: counted'
    const document = await study([`{ name: all, per: all, ${bucket} }`], { seed: 2 })
    expect(document.verdict.outcome).toBe('answered')
    expect(document.operations.status).toMatchObject({
      kind: 'token-bucket',
      capacity: { value: 20 },
    })
    expect(document.operations.inputs).toMatchObject({
      kind: 'token-bucket',
      capacity: { value: 20 },
    })
  })

  test('a limit of one request that is in use from the start is not called a block', async () => {
    const rule =
      '{ name: all, operations: [status, inputs], slidingLog: { limit: 1, window: 60s } }'
    const { status } = (await study([rule], { operations: ['status'] })).operations
    expect(status).toMatchObject({
      kind: 'token-bucket',
      capacity: { value: 1 },
      outcome: 'settled',
    })
    expect(status!.requests).toBeLessThan(200)
  })

  test('kickoffs are probed within their own budget', async () => {
    const document = await study(
      ['{ name: starts, operations: [kickoff], fixedWindow: { limit: 5, window: 10s } }'],
      { operations: ['kickoff'], maxKickoffs: 60 },
    )
    expect(document.kickoffs).toBeLessThanOrEqual(60)
    expect(document.operations.kickoff!.refusal!.status).toBe(429)
  })

  test('the same seed gives the same document', async () => {
    const rules = ['{ name: polls, operations: [status], fixedWindow: { limit: 9, window: 20s } }']
    const [first, second] = [await study(rules), await study(rules)]
    expect(second.operations).toEqual(first.operations)
  })
})
