/** `crewload init`: what it writes runs as it is, outside any project too. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cli, temporaryFolder } from '../support/cli.ts'

it('writes a scenario and a profile that run as they are, in an empty folder', async () => {
  await using folder = await temporaryFolder()
  const written = await cli(['init'], { cwd: folder.path })
  expect(written.code).toBe(0)
  const [, command] = /^ {2}crewload (.*)$/m.exec(written.stdout)!
  const run = await cli(
    [...command!.split(' '), '--speed', '60', '--set', 'validity.lateness=2s'],
    {
      cwd: folder.path,
    },
  )
  expect(run.stderr).not.toContain('crewload:')
  expect([0, 1]).toContain(run.code)
  expect(run.stdout).toContain('completed')
})

it('overwrites nothing unless told to', async () => {
  await using folder = await temporaryFolder()
  await cli(['init'], { cwd: folder.path })
  const scenario = join(folder.path, 'crewload.scenario.ts')
  const before = await readFile(scenario, 'utf8')
  const again = await cli(['init'], { cwd: folder.path })
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('is there already')
  expect(await readFile(scenario, 'utf8')).toBe(before)
  expect((await cli(['init', '--force'], { cwd: folder.path })).code).toBe(0)
})
