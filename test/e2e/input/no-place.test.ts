/**
 * Where nothing can be written: a folder that takes no children, a working folder that was removed,
 * temporary files that cannot be made, files that may not grow. Each command says so, in time.
 */
import { allText } from '../../../src/report/frame/report.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StudyDocument } from '../../../src/study/frame/envelope.ts'
import {
  cli,
  cliAfter,
  cliAlone,
  documentOf,
  folderIn,
  temporaryFolder,
} from '../../support/cli.ts'

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
    () => ['twin', recorded, '--reports'],
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

/** Larger than a journal of a short run, and smaller than its report. */
const LARGEST_FILE = 'ulimit -f 40'

describe.runIf(process.platform === 'linux')('reports that cannot be written', () => {
  test('make a run INVALID in its exit code and on stdout', async () => {
    const words = ['run', 'smoke', ...VIRTUAL, '--json', '--out', join(root.path, 'small')]
    const told = await cliAfter(LARGEST_FILE, words)
    expect(told.code).toBe(3)
    expect(documentOf(told).verdict).toMatchObject({ outcome: 'invalid', valid: false })
    expect(told.stderr).toContain('the reports could not be written')
  })

  test('make a study INVALID in its exit code, its document and its headline', async () => {
    const words = ['polling', ...FAST, '--executions', '50', '--out', join(root.path, 'study')]
    const { code, stdout, stderr } = await cliAfter(LARGEST_FILE, words)
    expect(code).toBe(3)
    expect(stderr).toContain('the reports could not be written')
    expect(stdout).toMatch(/^INVALID +The reports could not be written/)
    const told = await cliAfter(LARGEST_FILE, [...words, '--json'])
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
