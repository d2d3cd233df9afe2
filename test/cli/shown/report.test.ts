import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tellGitHub } from '../../../src/cli/shared/report.ts'
import { runReport } from '../../../src/report/run/report.ts'
import { hostileReport } from '../../report/ci/hostile.ts'
import { failingDocument, steadyDocument } from '../../report/run/sample-document.ts'
import { temporaryFolder } from '../../support/cli.ts'

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
