/** A machine on which no program is found by its name, `sh` neither: Windows has none. */
import { expect, test } from 'vitest'
import { cliAlone, temporaryFolder } from '../../support/cli.ts'

const env = { PATH: '', COLUMNS: '80' }

test('runs, fake crew and all', async () => {
  await using folder = await temporaryFolder()
  const { code, stderr } = await cliAlone(['run', 'smoke', '--profile', 'fast'], {
    cwd: folder.path,
    env,
  })
  expect([code, stderr]).toEqual([0, expect.any(String)])
})

test('refuses the one command that a shell must run, and says so', async () => {
  await using folder = await temporaryFolder()
  const place = ['--target', 'http://127.0.0.1:9', '--baseline', 'none', '--max-kickoffs', '99']
  const began = performance.now()
  const { code, stderr } = await cliAlone(
    ['gate', 'smoke', ...place, '--update-baseline', '--start', 'serve', '--yes'],
    { cwd: folder.path, env: { ...env, CREWLOAD_TOKEN: 'of-the-crew' } },
  )
  expect(stderr).toContain('the command that starts it needs sh, which cannot be run (ENOENT)')
  expect(code).toBe(5)
  // It waits two minutes for a target that was started.
  expect(performance.now() - began).toBeLessThan(60_000)
})
