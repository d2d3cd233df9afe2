/** A machine on which no program is found by its name, `sh` neither. */
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

test('runs the command that starts a target: the shell is found without a name', async () => {
  await using folder = await temporaryFolder()
  const place = ['--target', 'http://127.0.0.1:9', '--baseline', 'none', '--max-kickoffs', '99']
  const began = performance.now()
  const { code, stderr } = await cliAlone(
    ['gate', 'smoke', ...place, '--update-baseline', '--start', 'serve', '--yes'],
    { cwd: folder.path, env: { ...env, CREWLOAD_TOKEN: 'of-the-crew' } },
  )
  expect(stderr).toContain(
    'the command that starts it ended with exit code 127 before the target answered',
  )
  expect(stderr).toContain('serve: not found')
  expect(code).toBe(5)
  // It waits two minutes for a target that was started.
  expect(performance.now() - began).toBeLessThan(60_000)
})
