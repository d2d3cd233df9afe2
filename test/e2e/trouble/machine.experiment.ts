/**
 * What a machine lacks: a place to write, open files, programs; and what is thrown where nobody takes
 * it. Each command says so in time, and the exit code says whose fault it was.
 */
import type { ResultDocument } from 'crewload/run'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allText } from '../../../src/report/frame/report.ts'
import type { StudyDocument } from '../../../src/study/frame/envelope.ts'
import {
  cli,
  cliAfter,
  cliAlone,
  documentOf,
  folderIn,
  temporaryFolder,
} from '../../support/cli.ts'
import { countingTarget } from '../../support/targets/counting.ts'
import { startedStub } from '../../support/targets/loopback.ts'

const WITHIN_MS = 10_000
const FAST = ['--profile', 'fast']
const VIRTUAL = [...FAST, '--engine', 'virtual']

const root = await temporaryFolder()
afterAll(async () => root[Symbol.asyncDispose]())
let recorded = ''
beforeAll(async () => {
  await writeFile(join(root.path, 'file'), '')
  const out = join(root.path, 'runs')
  await cli(['run', 'smoke', ...VIRTUAL, '--out', out])
  recorded = await folderIn(out)
})

describe('a folder that takes no children', () => {
  /** Each ends with the option whose value is the folder; others write elsewhere. */
  const ROWS: readonly (() => string[])[] = [
    () => ['run', 'smoke', ...VIRTUAL, '--out'],
    () => ['demo', '--out'],
    () => ['polling', ...FAST, '--out'],
    () => ['capacity', 'smoke', ...FAST, '--slo', 'execution.p90 < 60s', '--out'],
    () => ['gate', 'smoke', ...VIRTUAL, '--baseline', join(root.path, 'base'), '--out'],
    () => ['gate', 'smoke', ...VIRTUAL, '--out', root.path, '--baseline'],
    () => ['limits', ...FAST, '--out'],
    () => ['saturate', 'inputs', ...FAST, '--out'],
    () => ['recovery', 'recovery', ...FAST, '--out'],
    () => ['twin', recorded, '--out'],
    () => ['report', 'merge', recorded, '--out'],
    () => ['k6', 'bundle', 'smoke', '--out'],
    () => ['init'],
  ]
  const PLACES = [(): string => '/proc/crewload/a', () => join(root.path, 'file', 'a')]

  test.each(ROWS.flatMap((words, i) => ({ words, at: PLACES[i % 2]! })))(
    'is named, and nothing is sent (%#)',
    async ({ words, at }) => {
      const { code, stdout, stderr } = await cli([...words(), at()], { withinMs: WITHIN_MS })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(at())
      expect(stderr).toMatch(/ENOENT|ENOTDIR/)
    },
  )
})

test('a working folder that was removed is named', async () => {
  const gone = join(root.path, 'gone')
  await mkdir(gone)
  const { code, stderr } = await cliAfter(`cd ${gone} && rmdir ${gone}`, ['doctor'])
  expect(code).toBe(2)
  expect(stderr).toContain('the folder that this was started in was removed')
})

test('temporary files that cannot be made are said by TMPDIR', async () => {
  const env = { TMPDIR: '/proc/crewload' }
  const words = ['run', 'smoke', ...VIRTUAL, '--out', join(root.path, 'tmpdir')]
  const { code, stderr } = await cliAlone(words, { env })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^crewload: TMPDIR: no temporary folder can be made there/)
})

/** Larger than a journal of a short run, and smaller than its report and that of a study. */
const LARGEST_FILE = 'ulimit -f 24'

describe.runIf(process.platform === 'linux')('reports that cannot be written', () => {
  test('make a run INVALID in its exit code and on stdout', async () => {
    const words = ['run', 'smoke', ...VIRTUAL, '--json', '--out', join(root.path, 'small')]
    const told = await cliAfter(LARGEST_FILE, words)
    expect(told.code).toBe(3)
    expect(documentOf(told).verdict).toMatchObject({ outcome: 'invalid', valid: false })
    expect(told.stderr).toContain('the reports could not be written')
  })

  test('make a study INVALID in its exit code, its document and its headline', async () => {
    const out = join(root.path, 'other')
    await cli(['run', 'smoke', ...VIRTUAL, '--seed', '1', '--out', out])
    const words = ['compare', '--out', join(root.path, 'study')]
    const runs = [recorded, '--', await folderIn(out)]
    const { code, stdout, stderr } = await cliAfter(LARGEST_FILE, [...words, ...runs])
    expect(code).toBe(3)
    expect(stderr).toContain('the reports could not be written')
    expect(stdout).toMatch(/^INVALID +The reports could not be written/)
    const told = await cliAfter(LARGEST_FILE, [...words, '--json', ...runs])
    expect(told.code).toBe(3)
    const { verdict } = JSON.parse(told.stdout) as StudyDocument
    expect(verdict.outcome).toBe('invalid')
    expect(allText(verdict)).toContain('Without that: ')
  })
})

test.runIf(process.platform === 'linux')(
  'a result that a full disk cut is not passed',
  async () => {
    const { code, stderr } = await cliAfter('exec >/dev/full', ['schema', 'result'])
    expect(code).toBe(3)
    expect(stderr).toMatch(/^crewload: the output could not be written: [^\n]*ENOSPC[^\n]*\n$/)
  },
)

const TOKEN = { CREWLOAD_TOKEN: 'sesame-4711' }
const NO_PROGRAMS = { PATH: '', COLUMNS: '80' }

/** What throws does so once the run is under way, on a busy machine too. */
function scenario(throwing: string): string {
  return `${throwing}
export default {
  name: 'thrown',
  arrivals: { rate: '10/s', for: '60s' },
  inputs: { topic: 'a', audience: 'b' },
  polling: { fixed: '100ms' },
}`
}

async function resultIn(out: string): Promise<ResultDocument> {
  const file = join(await folderIn(out), 'result.json')
  return JSON.parse(await readFile(file, 'utf8')) as ResultDocument
}

describe.concurrent('a run in whose process something throws', () => {
  const THROWING = [
    ['in a timer, again and again', "setInterval(() => { throw new Error('boom') }, 2_000)"],
    [
      'by a promise that nobody awaits',
      "setTimeout(() => void Promise.reject(new Error('boom')), 3_000)",
    ],
    ['what is no error', "setTimeout(() => { throw 'boom' }, 3_000)"],
  ] as const

  test.each(THROWING)(
    '%s drains, is reported as INVALID, and ends with 70',
    async (_, throwing) => {
      await using folder = await temporaryFolder()
      await using target = await countingTarget({ refuseEvery: 0 })
      const file = join(folder.path, 'thrown.ts')
      const out = join(folder.path, 'out')
      await writeFile(file, scenario(throwing))
      const args = ['run', file, '--target', target.url, '--max-kickoffs', '5000', '--out', out]
      const { code, stdout, stderr } = await cliAlone(args, { env: TOKEN })
      expect(code).toBe(70)
      expect(stderr).toContain('boom')
      expect(stdout).toContain('INVALID')
      const { verdict, outcomes, run } = await resultIn(out)
      expect(verdict.reasons[0]).toMatchObject({
        code: 'generator-error',
        message: 'crewload itself failed: boom',
      })
      expect(run.stopped).toBe('drained')
      expect(outcomes.completed).toBe(target.counts.kickoffs)
    },
  )
})

describe('a process that may open too few files', () => {
  test.each([32, 40])('%i to start says which limit, and the remedy', async (files) => {
    const args = ['run', 'smoke', '--profile', 'fast']
    const { code, stderr } = await cliAfter(`ulimit -n ${files}`, args)
    expect(stderr).toContain(`has reached its limit of ${files} open files (EMFILE)`)
    expect(stderr).toContain('"ulimit -n 4096"')
    expect(stderr).not.toContain('bug')
    expect(code).toBe(70)
  })

  test('for its requests measures what it can, and reports it', async () => {
    await using folder = await temporaryFolder()
    await using target = await startedStub((_, response) => {
      setTimeout(() => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ inputs: [], kickoff_id: crypto.randomUUID() }))
      }, 1_000)
    })
    const out = join(folder.path, 'out')
    const file = join(folder.path, 'many.ts')
    await writeFile(
      file,
      `export default {
  name: 'many', arrivals: { rate: '200/s', for: '3s' }, inputs: {}, deadline: '4s',
  connections: { max: 1000 },
}`,
    )
    const args = ['run', file, '--target', target.url, '--max-kickoffs', '5000', '--out', out]
    const { stderr, stdout } = await cliAfter('ulimit -n 170', args, { env: TOKEN })
    expect(stderr).not.toContain('crewload itself failed')
    expect(stdout).toContain('EMFILE')
    const { verdict, outcomes } = await resultIn(out)
    expect(verdict.reasons.map(({ code }) => code)).toContain('generator-error')
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(600)
  })

  test('is told so by the doctor', async () => {
    const { stdout } = await cliAfter('ulimit -n 300', ['doctor'])
    expect(stdout).toMatch(/BAD\s+open files\s+300/)
  })
})

describe('a machine on which no program is found by its name, `sh` neither,', () => {
  test('runs, fake crew and all', async () => {
    await using folder = await temporaryFolder()
    const { code, stderr } = await cliAlone(['run', 'smoke', '--profile', 'fast'], {
      cwd: folder.path,
      env: NO_PROGRAMS,
    })
    expect([code, stderr]).toEqual([0, expect.any(String)])
  })

  test('runs the command that starts a target: the shell is found without a name', async () => {
    await using folder = await temporaryFolder()
    const place = ['--target', 'http://127.0.0.1:9', '--baseline', 'none', '--max-kickoffs', '99']
    const began = performance.now()
    const { code, stderr } = await cliAlone(
      ['gate', 'smoke', ...place, '--update-baseline', '--start', 'serve', '--yes'],
      { cwd: folder.path, env: { ...NO_PROGRAMS, CREWLOAD_TOKEN: 'of-the-crew' } },
    )
    expect(stderr).toContain(
      'the command that starts it ended with exit code 127 before the target answered',
    )
    expect(stderr).toContain('serve: not found')
    expect(code).toBe(5)
    // It waits two minutes for a target that was started.
    expect(performance.now() - began).toBeLessThan(60_000)
  })
})
