/**
 * Without k6 the command reports which tests it skipped; with CREWLOAD_CI=1 it fails instead. Both
 * are tested in a separate vitest process.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { areExperimentsRun } from '../../experiments.ts'

const execute = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..', '..')
const TEST_LIMIT_MS = 120_000
const NO_K6 = { K6_BIN: join(import.meta.dirname, 'no-such-program') }

interface Ended {
  code: number
  said: string
}

async function vitestWithout(env: Record<string, string>): Promise<Ended> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', 'test/e2e/k6/run.test.ts']
  const { CREWLOAD_CI: _, ...own } = process.env
  const options = { cwd: ROOT, env: { ...own, ...NO_K6, CREWLOAD_SKIP_BUILD: '1', ...env } }
  const child = await execute(process.execPath, args, options).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  const code = 'code' in child ? child.code : 0
  return { code, said: child.stdout + child.stderr }
}

test.runIf(areExperimentsRun)(
  'npm test names what it skipped, and with CREWLOAD_CI=1 fails',
  async () => {
    const skipped = await vitestWithout({})
    expect(skipped.said).toContain(
      'SKIPPED the tests of --engine k6: K6_BIN does not name a program',
    )
    expect(skipped.said).toContain('npm run k6:build')
    expect(skipped.code).toBe(0)
    const failed = await vitestWithout({ CREWLOAD_CI: '1' })
    expect(failed.said).toContain('CREWLOAD_CI=1 needs k6: K6_BIN does not name a program')
    expect(failed.code).toBe(1)
  },
  TEST_LIMIT_MS,
)
