/** The words that scripts outside rely on: flags, lines, keys and exit codes. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from 'crewload/fake-crew'
import type { ResultDocument } from 'crewload/run'
import { cli, startFakeCli, temporaryFolder } from '../../support/cli.ts'

/** For what needs neither sockets nor the machine's time. */
const VIRTUAL = ['--engine', 'virtual', '--profile', 'fast']

const OUTCOMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'paused',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
]

describe('crewload fake', () => {
  test('prints one JSON line when ready, takes its tokens, and ends with 0 on SIGTERM', async () => {
    const env = { CREWLOAD_FAKE_TOKEN: 'org-secret', CREWLOAD_FAKE_USER_TOKEN: 'user-secret' }
    const fake = await startFakeCli(['--profile', 'fast'], { env })
    expect([fake.token, fake.userToken]).toEqual(['org-secret', 'user-secret'])
    const headers = { authorization: 'Bearer org-secret' }
    expect((await fetch(`${fake.url}/inputs`, { headers })).status).toBe(200)
    expect(await fake.stop()).toBe(0)
  })
})

describe('crewload run --json', () => {
  test('prints the document on stdout, with every promised key, and leaves the run folder', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', ...VIRTUAL, '--out', folder.path, '--json']
    const { code, stdout } = await cli(args)
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(0)
    expect(document.verdict).toMatchObject({ outcome: 'passed', valid: true, reasons: [] })
    expect(document.arrivals).toBeTypeOf('number')
    expect(Object.keys(document.outcomes)).toEqual(OUTCOMES)
    for (const key of ['metrics', 'contract', 'generator', 'ledger'] as const) {
      expect(document[key]).toBeTypeOf('object')
    }
    const [run] = await readdir(folder.path)
    const files = await readdir(join(folder.path, run!))
    expect(files).toEqual(
      expect.arrayContaining([
        'executions.ndjson',
        'histograms.hlog',
        'junit.xml',
        'report.html',
        'result.json',
        'summary.md',
      ]),
    )
  })

  test('exits with 1 when a threshold is missed', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', ...VIRTUAL, '--out', folder.path, '--quiet']
    const { code, stdout } = await cli([...args, '--set', 'thresholds={"execution.max":"< 1ms"}'])
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  test('exits with 3 when the generator was too busy, whatever the thresholds say', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', '--profile', 'fast', '--out', folder.path]
    const { code, stdout } = await cli([
      ...args,
      '--set',
      'validity.utilisation=0.0001',
      '--set',
      'arrivals.iterations=8',
    ])
    expect(stdout).toContain('INVALID')
    expect(stdout).toContain('the generator was busy')
    expect(code).toBe(3)
  })

  test('exits with 4 and says how much more is needed when the sample is too small', async () => {
    await using folder = await temporaryFolder()
    const three = ['--set', 'arrivals.iterations=3', '--set', 'thresholds={"execution.p99":"< 1h"}']
    const { code, stdout } = await cli(['run', 'smoke', ...VIRTUAL, ...three, '--out', folder.path])
    expect(stdout).toMatch(/undecided +execution\.p99 /)
    const told = stdout.replaceAll(/\s+/g, ' ')
    expect(told).toContain('execution.p99 rests on 3 of 368 independent executions')
    expect(told).toContain('about 365 more executions would decide all 3')
    expect(code).toBe(4)
  })

  test('exits with 5 when nobody listens, and when the token is refused', async () => {
    await using folder = await temporaryFolder()
    const env = { CREWLOAD_TOKEN: 'not-the-token' }
    const args = ['run', 'smoke', '--out', folder.path, '--target']
    const nobody = await cli([...args, 'http://127.0.0.1:1'], { env })
    expect(nobody.code).toBe(5)
    expect(nobody.stderr).toContain('no process listens there')
    await using fake = await startFakeCrew({ profile: 'fast' })
    const refused = await cli([...args, fake.url], { env })
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('refused our token')
  })
})
