/** Working folders: nothing of a killed process is left, and nothing of a living one is touched. */
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../src/run/folder/temporary.ts'
import { temporaryFolder as emptyFolder } from '../../support/cli.ts'

const MACHINE = hostname().replaceAll(/[^A-Za-z0-9._-]/g, '_')

let among: Awaited<ReturnType<typeof emptyFolder>>
beforeEach(async () => {
  among = await emptyFolder()
  vi.stubEnv('TMPDIR', among.path)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await among[Symbol.asyncDispose]()
})

test('a working folder is there until it is removed', async () => {
  const folder = await temporaryFolder('journal')
  expect(folder.path.startsWith(join(tmpdir(), 'crewload-journal-'))).toBe(true)
  await writeFile(join(folder.path, 'file'), 'text')
  await folder.remove()
  expect(await readdir(among.path)).toEqual([])
})

test('what a killed process left behind is removed by the next one that needs a folder', async () => {
  const left = await mkdtemp(join(among.path, 'crewload-scenario-'))
  await mkdir(join(left, 'deep'))
  await writeFile(join(left, `.held-by-${MACHINE}-4194305-77`), '')
  const folder = await temporaryFolder('journal')
  expect(await readdir(among.path)).toEqual([folder.path.slice(among.path.length + 1)])
  await folder.remove()
})

test('folders of living processes, of other machines and of other programs stay', async () => {
  const living = await temporaryFolder('journal')
  const distant = await mkdtemp(join(among.path, 'crewload-k6-'))
  await writeFile(join(distant, '.held-by-elsewhere-1-1'), '')
  const beginning = await mkdtemp(join(among.path, 'crewload-k6-'))
  const foreign = await mkdtemp(join(among.path, 'mine-'))
  await writeFile(join(foreign, `.held-by-${MACHINE}-4194305-77`), '')
  const folder = await temporaryFolder('journal')
  await folder.remove()
  const names = [living.path, distant, beginning, foreign].map((path) =>
    path.slice(among.path.length + 1),
  )
  expect((await readdir(among.path)).toSorted()).toEqual(names.toSorted())
  await living.remove()
})
