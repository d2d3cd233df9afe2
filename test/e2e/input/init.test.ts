/**
 * `crewload init`: what it writes runs as it is, and gives an editor its hints, outside any project
 * too.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cli, temporaryFolder } from '../../support/cli.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

test('writes a scenario and a profile with their hints, suggests a command that passes, and overwrites nothing', async () => {
  await using folder = await temporaryFolder()
  const here = { cwd: folder.path }
  const written = await cli(['init'], here)
  expect(written).toMatchObject({ code: 0, stderr: '' })
  expect(written.stdout).toContain('tsconfig.json')
  const [, command] = /^ {2}crewload (.*)$/m.exec(written.stdout)!
  const run = await cli(command!.split(' '), here)
  expect(run.stderr).not.toContain('crewload:')
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('PASSED')])

  const profile = await readFile(join(folder.path, 'crewload.profile.yaml'), 'utf8')
  const [, url] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(profile)!
  const schema = JSON.parse(await readFile(fileURLToPath(url!), 'utf8')) as object
  expect(schema).toHaveProperty('properties.tasks')

  const scenario = join(folder.path, 'crewload.scenario.ts')
  const before = await readFile(scenario, 'utf8')
  const again = await cli(['init'], here)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')])
  expect(await readFile(scenario, 'utf8')).toBe(before)
  // A mistake in it shows that an editor outside any project knows the types.
  await writeFile(scenario, before.replace('clients:', 'klients:'))
  expect(await typeErrors(folder.path)).toMatch(/^[^\n]*'klients' does not exist[^\n]*\n[^\n]*$/)
})

test('calls a file that cannot be written no bug, and says why', async () => {
  await using folder = await temporaryFolder()
  await symlink('/nowhere/at/all', join(folder.path, 'crewload.scenario.ts'))
  const refused = await cli(['init'], { cwd: folder.path })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe('crewload: crewload.scenario.ts: cannot be written (ENOENT)\n')
})

test('names the package by a path that holds on every machine where the project depends on it', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'node_modules'))
  await symlink(ROOT, join(folder.path, 'node_modules/crewload'))
  await writeFile(join(folder.path, 'package.json'), '{}')
  await cli(['init', 'load'], { cwd: folder.path })
  const written = await Promise.all(
    ['tsconfig.json', 'crewload.profile.yaml'].map((name) =>
      readFile(join(folder.path, 'load', name), 'utf8'),
    ),
  )
  expect(written.join('\n')).not.toContain(ROOT)
  expect(written[1]).toContain('$schema=../node_modules/crewload/schemas/profile.schema.json')
  expect(await typeErrors(join(folder.path, 'load'))).toBe('')
})

test('leaves a tsconfig.json alone, and says what it needs', async () => {
  await using folder = await temporaryFolder()
  const own = join(folder.path, 'tsconfig.json')
  await writeFile(own, '{}')
  const { stdout } = await cli(['init'], { cwd: folder.path })
  expect(await readFile(own, 'utf8')).toBe('{}')
  expect(stdout).toMatch(/tsconfig\.json .* "paths": \{ "crewload": \[".*index\.d\.ts"\]/s)
})

async function typeErrors(folder: string): Promise<string> {
  const check = promisify(execFile)(process.execPath, [TSC, '--noEmit', '-p', folder])
  return check.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}
