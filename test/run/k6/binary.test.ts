/** Which k6 is taken, and how every reason not to take one is told. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { findK6 } from '../../../src/run/k6/binary.ts'
import { k6 as diagnose } from '../../../src/run/doctor.ts'
import { temporaryFolder } from '../../support/cli.ts'

const REMEDY = /install k6 1\.8 or newer.*K6_BIN.*npm run k6:build/

/** A program that answers every call with `says`. */
async function fakeK6(folder: string, says: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'k6')
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`)
  await chmod(path, 0o755)
  return path
}

const pathWith = (folder: string): string => `${folder}${delimiter}${process.env['PATH']}`

test('K6_BIN wins over the one that was built, and that over the PATH', async () => {
  await using folder = await temporaryFolder()
  const named = await fakeK6(join(folder.path, 'named'), 'k6 v1.8.0 (go1.25.1, linux/amd64)')
  const built = await fakeK6(join(folder.path, 'built'), 'k6 v2.2.0 (commit/abc, go1.26)')
  await fakeK6(join(folder.path, 'path'), 'k6 v3.0.1')
  const PATH = pathWith(join(folder.path, 'path'))
  const here = join(folder.path, 'built')
  expect(await findK6({ K6_BIN: named, PATH }, here)).toEqual({ path: named, version: '1.8.0' })
  expect(await findK6({ PATH }, here)).toEqual({ path: built, version: '2.2.0' })
  expect(await findK6({ PATH }, folder.path)).toEqual({ path: 'k6', version: '3.0.1' })
})

test('none at all is told with the remedy in one line', async () => {
  await using folder = await temporaryFolder()
  const search = findK6({ PATH: folder.path }, folder.path)
  await expect(search).rejects.toMatchObject({ name: 'UserError' })
  const { message } = (await search.catch((error: unknown) => error)) as Error
  expect(message).toMatch(REMEDY)
  expect(message).toMatch(/^k6: k6 was not found/)
  expect(message).not.toContain('\n')
})

test.each([
  ['k6 v1.7.9 (go1.24.2, linux/amd64)', /k6 is too old;.*found 1\.7\.9 at/],
  ['k6 v0.57.0', /k6 is too old;.*found 0\.57\.0 at/],
  ['something else', /"k6 version" printed no version/],
])('%s cannot be used', async (says, problem) => {
  await using folder = await temporaryFolder()
  const path = await fakeK6(folder.path, says)
  await expect(findK6({ K6_BIN: path })).rejects.toThrow(problem)
  await expect(findK6({ K6_BIN: path })).rejects.toThrow(REMEDY)
})

test('K6_BIN that names nothing is said so, and no other is taken instead', async () => {
  await using folder = await temporaryFolder()
  await fakeK6(folder.path, 'k6 v2.2.0')
  const search = findK6({ K6_BIN: join(folder.path, 'no-such') }, folder.path)
  await expect(search).rejects.toThrow(/K6_BIN does not name a program.*no-such/)
})

test('the doctor tells the same', async () => {
  await using folder = await temporaryFolder()
  const old = await fakeK6(join(folder.path, 'old'), 'k6 v1.2.0')
  const good = await fakeK6(join(folder.path, 'good'), 'k6 v2.2.0 (go1.26, linux/amd64)')
  expect(await diagnose({ K6_BIN: good })).toMatchObject({
    code: 'k6-found',
    state: 'ok',
    message: `2.2.0 at ${good}`,
    version: '2.2.0',
  })
  expect(await diagnose({ K6_BIN: old })).toMatchObject({
    code: 'k6-unusable',
    state: 'warning',
    message: `k6 is too old (1.2.0 at ${old})`,
    remedy: expect.stringMatching(REMEDY),
  })
  expect(await diagnose({ K6_BIN: join(folder.path, 'none') })).toMatchObject({
    code: 'k6-absent',
    state: 'absent',
  })
})
