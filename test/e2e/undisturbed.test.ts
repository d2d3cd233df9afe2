/**
 * A scenario made for `crewload recovery`, put on by `run`: it says that nothing disturbed the
 * crew.
 */
import { expect, test } from 'vitest'
import { cli, temporaryFolder } from '../support/cli.ts'

const VIRTUAL = ['--profile', 'metastable', '--engine', 'virtual', '--set', 'arrivals.for=2m']
const TOLD = 'next    crewload recovery retry-storm --profile metastable'

test('names the command that pulls the trigger', async () => {
  await using folder = await temporaryFolder()
  const { stdout } = await cli(['run', 'retry-storm', ...VIRTUAL], { cwd: folder.path })
  expect(stdout).toContain('Nothing disturbed the crew in this run.')
  expect(stdout).toContain(TOLD)
})

test('keeps silent of any other scenario, and where stdout is JSON', async () => {
  await using folder = await temporaryFolder()
  const smoke = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual']
  expect((await cli(smoke, { cwd: folder.path })).stdout).not.toContain('Nothing disturbed')
  const json = await cli(['run', 'retry-storm', ...VIRTUAL, '--json'], { cwd: folder.path })
  expect(JSON.parse(json.stdout)).toHaveProperty('verdict')
})
