/** A quota from a study of limits: what is read of its document, and what is refused. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LimitsDocument } from '../../../src/study/limits/document.ts'
import { conducting as limitsStudy } from '../../../src/study/limits/conduct/conduct.ts'
import { conducting } from '../../../src/study/polling/conduct/conduct.ts'
import { designPolling } from '../../../src/study/polling/plan/plan.ts'
import { limitsFound } from '../../../src/study/polling/plan/goal.ts'
import { polling } from '../../../src/study/polling/study.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { profileWith } from '../limits/profiles.ts'
import { answered } from '../limits/sample-limits.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

type Status = NonNullable<LimitsDocument['operations']['status']>

async function kept(folder: string, status: Partial<Status> | null): Promise<string> {
  const document = answered()
  const told = status === null ? null : { ...document.operations.status!, ...status }
  const operations = { ...document.operations, status: told }
  const study = join(folder, 'limits')
  await mkdir(study, { recursive: true })
  await writeFile(join(study, 'limits.json'), JSON.stringify({ ...document, operations }))
  return study
}

async function problemOf(path: string): Promise<string> {
  return limitsFound(path).then(
    () => 'none',
    (error: Error) => error.message.replaceAll(path, 'PATH'),
  )
}

describe('the safe rate of status is the quota', () => {
  test.each([
    [0.98877, '59.3/m'],
    [49.4, '49.4/s'],
    [1, '1/s'],
    [0.999, '59.9/m'],
    [0.002, '7.2/h'],
    [1_234.5, '1230/s'],
  ])('%d a second: %s, never more', async (safePerSecond, maxPolls) => {
    await using folder = await temporaryFolder()
    const found = await limitsFound(await kept(folder.path, { safePerSecond }))
    expect(found.text).toBe(maxPolls)
    expect(found.limits).toMatchObject({
      place: { kind: 'deployment', target: 'http://127.0.0.1:9' },
      pollsPerSecond: safePerSecond,
    })
  })

  test('of a document alone, too', async () => {
    await using folder = await temporaryFolder()
    const file = join(await kept(folder.path, {}), 'limits.json')
    expect((await limitsFound(file)).text).toBe('59.2/m')
  })

  test.each([
    [{ token: true, path: null, sharedWith: [] }, 'each further token has as much of its own'],
    [{ token: false, path: null, sharedWith: [] }, 'further tokens take from the same'],
    [{ token: null, path: null, sharedWith: ['inputs', 'kickoff'] }, 'inputs and kickoff take'],
  ])('%j: it tells for whom it holds', async (scope, words) => {
    await using folder = await temporaryFolder()
    const found = await limitsFound(
      await kept(folder.path, { scope } as unknown as Partial<Status>),
    )
    expect(found.limits!.assumed).toContain('one token, which nobody else uses')
    expect(found.limits!.assumed).toContain(words)
  })

  test.runIf(areExperimentsRun)(
    'as a study finds it, and in what the study of polling tells',
    async () => {
      await using folder = await temporaryFolder()
      const rule = '{ name: polls, operations: [status], slidingLog: { limit: 30, window: 10s } }'
      const profile = await profileWith(folder.path, rule)
      const limits = (
        await conductStudy(limitsStudy, {
          operations: ['status'],
          out: folder.path,
          run: { profile },
        })
      ).folder!
      const options = { executions: 50, out: false, limits, run: { profile: 'fast' } } as const
      const { document } = await conductStudy(conducting, options)
      const { quota, given } = document.goal
      const maxPolls = quota!.text
      expect(Number.parseFloat(maxPolls)).toBeLessThanOrEqual(3)
      expect([maxPolls.endsWith('/s'), quota!.limits!.source, given]).toEqual([true, limits, true])
      const same = await conductStudy(conducting, {
        ...options,
        limits: undefined,
        maxPolls,
      } as never)
      expect(document.recommended?.polling).toEqual(same.document.recommended?.polling)
      const sentence = `${maxPolls} is the safe rate of status at virtual time`
      expect(document.findings.some(({ message }) => message.startsWith(sentence))).toBe(true)
      const { facts } = await designPolling(options)
      expect(polling.planText(facts).notes?.join()).toContain(
        'it assumes that all polls use one token',
      )
    },
  )
})

describe('refused', () => {
  test.each([
    [null, 'has not probed status'],
    [{ outcome: 'cannot-tell' }, 'is not settled'],
    [{ kind: 'unknown' }, 'is not settled'],
    [{ kind: 'none', safePerSecond: null }, 'no status limit was met'],
    [{ kind: 'concurrency', safePerSecond: null }, 'is one of concurrency, which sets no rate'],
  ] as const)('%j: %s', async (status, words) => {
    await using folder = await temporaryFolder()
    expect(await problemOf(await kept(folder.path, status))).toContain(words)
  })

  test('what is no such document', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'other.json')
    await writeFile(file, '{"schema":"crewload/polling/1"}')
    const damaged = join(folder.path, 'damaged.json')
    await writeFile(damaged, '{')
    expect(await problemOf(join(folder.path, 'none'))).toContain('does not exist')
    expect(await problemOf(folder.path)).toContain('holds no limits.json')
    expect(await problemOf(file)).toContain('expected the folder of a study of limits')
    expect(await problemOf(damaged)).toContain('the file is damaged: it is not JSON')
  })
})
