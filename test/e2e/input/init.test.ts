/**
 * `crewload init`: what it writes runs as it is, and gives an editor its hints, outside any project
 * too.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cli, temporaryFolder } from '../../support/cli.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

test('writes a scenario and a profile, and suggests a command that soon ends with PASSED', async () => {
  await using folder = await temporaryFolder()
  const written = await cli(['init'], { cwd: folder.path })
  expect(written).toMatchObject({ code: 0, stderr: '' })
  const [, command] = /^ {2}crewload (.*)$/m.exec(written.stdout)!
  const began = Date.now()
  const run = await cli(command!.split(' '), { cwd: folder.path })
  expect(run.stderr).not.toContain('crewload:')
  expect(run.stdout).toContain('PASSED')
  expect(run.code).toBe(0)
  expect(Date.now() - began).toBeLessThan(30_000)
})

test('overwrites nothing', async () => {
  await using folder = await temporaryFolder()
  await cli(['init'], { cwd: folder.path })
  const scenario = join(folder.path, 'crewload.scenario.ts')
  const before = await readFile(scenario, 'utf8')
  const again = await cli(['init'], { cwd: folder.path })
  expect(again.code).toBe(2)
  expect(again.stderr).toContain('already exists')
  expect(await readFile(scenario, 'utf8')).toBe(before)
})

test('calls a file that cannot be written no bug, and says why', async () => {
  await using folder = await temporaryFolder()
  await symlink('/nowhere/at/all', join(folder.path, 'crewload.scenario.ts'))
  const refused = await cli(['init'], { cwd: folder.path })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe('crewload: crewload.scenario.ts: cannot be written (ENOENT)\n')
})

describe('editor hints', () => {
  test('knows the types of crewload in a folder outside any project', async () => {
    await using folder = await temporaryFolder()
    const { stdout } = await cli(['init'], { cwd: folder.path })
    expect(stdout).toContain('tsconfig.json')
    expect(await typeErrors(folder.path)).toBe('')
    const scenario = join(folder.path, 'crewload.scenario.ts')
    const text = await readFile(scenario, 'utf8')
    await writeFile(scenario, text.replace('clients:', 'klients:'))
    expect(await typeErrors(folder.path)).toContain("'klients' does not exist")
  })

  test('knows the keys of a profile', async () => {
    await using folder = await temporaryFolder()
    await cli(['init'], { cwd: folder.path })
    const profile = await readFile(join(folder.path, 'crewload.profile.yaml'), 'utf8')
    const [, url] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(profile)!
    const schema = JSON.parse(await readFile(fileURLToPath(url!), 'utf8')) as object
    expect(schema).toHaveProperty('properties.tasks')
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
})

async function typeErrors(folder: string): Promise<string> {
  const check = promisify(execFile)(process.execPath, [TSC, '--noEmit', '-p', folder])
  return check.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}
