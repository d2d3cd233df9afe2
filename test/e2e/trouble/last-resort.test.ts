/**
 * What is thrown where nobody takes it, a process that may open too few files, and a machine without
 * programs: the run is reported, and the exit code says whose fault it was.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultDocument } from 'crewload/run'
import { describe, expect, test } from 'vitest'
import { areExperimentsRun } from '../../experiments.ts'
import { cliAfter, cliAlone, folderIn, temporaryFolder } from '../../support/cli.ts'
import { startedStub } from '../../support/targets/loopback.ts'
import { countingTarget } from '../../support/targets/counting.ts'

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

  test.each(THROWING.slice(0, areExperimentsRun ? 3 : 1))(
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
