/** Over sockets: cut and resumed, and a target that dies. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { FakeCrew } from '../../../../fake-crew/index.ts'
import { askToStop } from '../../../../src/run/folder/stop.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { folderIn, temporaryFolder } from '../../../support/cli.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { profileWith } from '../profiles.ts'

const LIMIT = '{ name: names, operations: [inputs], slidingLog: { limit: 8, window: 3s } }'

/** Of the limited operation of a crew, to a folder. */
function optionsOf({ url: target, token }: FakeCrew, out: string) {
  return { operations: ['inputs'], sustainMs: 0, out, run: { target, tokens: [token] } } as const
}

/** A busy machine delays requests by more than a limit of a few seconds can bear: it is not claimed. */
function isLate({ operations }: LimitsDocument): boolean {
  return operations.inputs!.reasons.some(({ code }) => code === 'late')
}

async function probesIn(folder: string): Promise<number> {
  return (await readFile(join(folder, 'probes.ndjson'), 'utf8')).trim().split('\n').length
}

/** As if the first request had been sent so much earlier. */
async function resumedAfter(folder: string, crew: FakeCrew, ms: number): Promise<LimitsDocument> {
  const file = join(folder, 'probes.ndjson')
  const shifted = async (byMs: number): Promise<void> => {
    const [first = '', ...others] = (await readFile(file, 'utf8')).split('\n')
    const probe = JSON.parse(first) as { sentMs: number; receivedMs: number }
    const times = { sentMs: probe.sentMs + byMs, receivedMs: probe.receivedMs + byMs }
    await writeFile(file, [JSON.stringify({ ...probe, ...times }), ...others].join('\n'))
  }
  await shifted(-ms)
  const document = await resumed(conducting, folder, { run: { tokens: [crew.token] } })
  await shifted(ms)
  return document
}

test('a study that was cut shows what is known, and resume asks nothing twice', async () => {
  await using out = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: await profileWith(out.path, LIMIT) })
  const { onStart, stop } = stopper()
  let experiments = 0
  const cut = await conductStudy(conducting, {
    ...optionsOf(crew, out.path),
    maxDurationMs: 600_000,
    onStart,
    tell: () => ++experiments === 8 && stop(),
  })
  expect(cut.document.ended).toBe('interrupted')
  expect(cut.document.verdict.outcome).toBe('cannot-tell')
  const known = await probesIn(cut.folder!)
  expect(known).toBe(cut.document.requests)
  expect(JSON.stringify(await readStudyRecipe(cut.folder!))).not.toContain(crew.token)
  const late = await resumedAfter(cut.folder!, crew, 600_000)
  expect(late.plan.maxDurationMs).toBe(600_000)
  expect(late.requests).toBeLessThanOrEqual(known + 1)
  const document = await resumed(conducting, cut.folder, { run: { tokens: [crew.token] } })
  expect(document.ended).toBe('complete')
  expect(isLate(document) || document.operations.inputs!.limit!.value === 8).toBe(true)
  expect(document.requests).toBe(await probesIn(cut.folder!))
  expect(document.requests).toBeGreaterThan(known)
}, 120_000)

test('a page that asks for its end is obeyed', async () => {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: await profileWith(folder.path, LIMIT) })
  let answer: Promise<boolean> | undefined
  const asked: string[] = []
  const out = join(folder.path, 'reports')
  const { document } = await conductStudy(conducting, {
    ...optionsOf(crew, out),
    sustainMs: 60_000,
    onStart: () => {
      answer = folderIn(out).then(async (path) => askToStop(path, 'now'))
    },
    onAsked: (how) => void asked.push(how),
  })
  expect([await answer, asked, document.ended]).toEqual([true, ['now'], 'interrupted'])
}, 60_000)

const STOPPED_ANSWERING = expect.stringMatching(/^inputs: the target stopped answering/) as string

test('after a loss, which a few requests show, resume goes on with what was known', async () => {
  await using folder = await temporaryFolder()
  const profile = await profileWith(folder.path, LIMIT)
  await using first = await startFakeCrew({ profile })
  let experiments = 0
  const stopped: Promise<void>[] = []
  const lost = await conductStudy(conducting, {
    ...optionsOf(first, folder.path),
    tell: () => ++experiments === 14 && void stopped.push(first.stop()),
  })
  await Promise.all(stopped)
  const { verdict, operations } = lost.document
  expect(verdict).toMatchObject({
    outcome: 'target-lost',
    reasons: [{ code: 'lost', message: STOPPED_ANSWERING }],
  })
  const { evidence, failures: all } = operations.inputs!
  expect(evidence.some(({ answer }) => answer === 'accepted')).toBe(true)
  const [failures] = all
  expect(failures!.status).toBeNull()
  expect(failures!.requests).toBeLessThan(20)
  const known = lost.document.requests - failures!.requests
  expect(known).toBeGreaterThan(10)
  await using second = await startFakeCrew({ profile })
  const { run } = optionsOf(second, folder.path)
  const document = await resumed(conducting, lost.folder, { run })
  const { failures: left, outcome: found, limit } = document.operations.inputs!
  expect(left).toEqual([])
  const isFound = found === 'settled' && limit!.value === 8
  expect(isLate(document) || isFound).toBe(true)
  expect(document.requests).toBeGreaterThan(lost.document.requests)
}, 120_000)

test('after Ctrl-C no further experiment is announced, and that it was stopped is the reason', async () => {
  await using out = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: await profileWith(out.path, LIMIT) })
  const { onStart, stop } = stopper()
  const told: string[] = []
  const { document } = await conductStudy(conducting, {
    ...optionsOf(crew, out.path),
    kickoffId: 'none',
    operations: ['inputs', 'status'],
    onStart,
    tell: (line) => {
      told.push(line)
      if (told.length === 3) stop()
    },
  })
  expect(document.ended).toBe('interrupted')
  expect(told).toHaveLength(3)
  const reasons = document.verdict.reasons.filter(({ code }) => code !== 'late')
  expect(reasons.map(({ code, message }) => [code, message])).toEqual([
    ['stopped', 'inputs: the study was stopped before the limit was certain'],
    ['not-probed', 'status was not probed'],
  ])
}, 60_000)
