import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tellGitHub } from '../../../src/cli/shown/report.ts'
import { runReport } from '../../../src/report/run/report.ts'
import { hostileReport } from '../../report/ci/hostile.ts'
import { failingDocument, steadyDocument } from '../../report/run/sample-document.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'

const REPORT = runReport(failingDocument())

async function told(env: Record<string, string>, { json = false, report = REPORT } = {}) {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    isTerminal: false,
    width: 80,
    write: (text: string) => void (written[name] += text),
  })
  const io = { env, stdout: output('stdout'), stderr: output('stderr') }
  await tellGitHub(report, { json }, io)
  return written
}

describe('on GitHub Actions', () => {
  test('every command adds to the job summary', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'summary.md')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
    const { stdout } = await told(env)
    await told(env, { report: runReport(steadyDocument()) })
    expect(stdout).toMatch(/^::error title=FAILED%3A [^\n]*\n$/)
    expect(await readFile(file, 'utf8')).toMatch(/^## ✗ FAILED[^]*\n## ✓ PASSED: steady\n/)
  })

  test('a summary that GitHub would not show becomes the comment', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'summary.md')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
    await told(env, { report: hostileReport() })
    expect((await readFile(file, 'utf8')).length).toBeLessThan(64_000)
  })

  test('stdout stays JSON', async () => {
    const { stdout, stderr } = await told({ GITHUB_ACTIONS: 'true' }, { json: true })
    expect([stdout, stderr.split('::')[1]]).toEqual(['', 'error title=FAILED%3A steady'])
  })

  test('a file that cannot be written is told', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/nowhere/summary.md' }
    expect((await told(env)).stderr).toBe(
      'crewload: the job summary could not be written to /nowhere/summary.md (ENOENT)\n',
    )
  })
})

test('elsewhere nothing is added', async () => {
  expect(await told({ GITHUB_STEP_SUMMARY: '/nowhere' })).toEqual({ stdout: '', stderr: '' })
})

test('a run and a study tell of themselves', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'job.md')
  const out = join(folder.path, 'out')
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
  const place = ['--profile', 'fast', '--engine', 'virtual', '--quiet', '--out', out]
  const missed = ['--set', 'thresholds={"execution.max":"< 1ms"}']
  const run = await cli(['run', 'smoke', ...place, ...missed], { env })
  expect(run.stdout).toMatch(/^::error title=FAILED%3A smoke::[^\n]*execution\.max[^\n]*\n$/)
  const gate = await cli(
    ['gate', 'smoke', ...place, '--baseline', join(folder.path, 'base'), '--runs', '3'],
    { env },
  )
  expect([gate.code, gate.stderr]).toEqual([0, ''])
  expect(await readFile(file, 'utf8')).toMatch(/^## ✗ FAILED: smoke\n[^]*\n## \S+ BASELINE: /)
})

/** Of a scenario that is made for `crewload recovery`, put on by `run`. */
const VIRTUAL = ['--profile', 'metastable', '--engine', 'virtual', '--set', 'arrivals.for=40s']

test('names the command that pulls the trigger', async () => {
  await using folder = await temporaryFolder()
  const { stdout } = await cli(['run', 'retry-storm', ...VIRTUAL], { cwd: folder.path })
  expect(stdout).toContain('Nothing disturbed the crew in this run.')
  expect(stdout).toContain('next    crewload recovery retry-storm --profile metastable')
})

test('keeps silent of any other scenario, and where stdout is JSON', async () => {
  await using folder = await temporaryFolder()
  const smoke = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual']
  expect((await cli(smoke, { cwd: folder.path })).stdout).not.toContain('Nothing disturbed')
  const json = await cli(['run', 'retry-storm', ...VIRTUAL, '--json'], { cwd: folder.path })
  expect(JSON.parse(json.stdout)).toHaveProperty('verdict')
})
