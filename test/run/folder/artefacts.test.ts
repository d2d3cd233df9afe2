/** Files that are written together land together, whoever writes at the same time or dies meanwhile. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { landArtefacts, writeArtefacts } from '../../../src/run/folder/artefacts.ts'
import { makeFolder } from '../../../src/run/folder/make.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** Without folders and files whose names begin with a dot. */
async function visibleContents(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'))
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>
}

/** Six files of one writer. */
function setOf(writer: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`file-${i}`, `of ${writer}`]))
}

test('of writers at the same time, all files are of one', async () => {
  await using folder = await temporaryFolder()
  const writers = Array.from({ length: 8 }, (_, writer) => writer)
  await Promise.all(
    writers.map(async (writer) => writeArtefacts(folder.path, { files: setOf(writer) })),
  )
  const found = await visibleContents(folder.path)
  expect((await readdir(folder.path)).toSorted()).toEqual(Object.keys(setOf(0)))
  expect(Object.keys(found)).toHaveLength(6)
  expect(new Set(Object.values(found)).size).toBe(1)
})

test('a set of which one file cannot be written leaves all former files', async () => {
  await using folder = await temporaryFolder()
  await writeArtefacts(folder.path, { files: { a: 'old', b: 'old' } })
  const failed = writeArtefacts(folder.path, {
    files: { a: 'new', 'no/such': 'new' },
    remove: ['b'],
  })
  await expect(failed).rejects.toThrow('no/such: ')
  expect(await visibleContents(folder.path)).toEqual({ a: 'old', b: 'old' })
})

test('a folder in place of a file is named, and nothing is replaced', async () => {
  await using folder = await temporaryFolder()
  await writeArtefacts(folder.path, { files: { a: 'old' } })
  await mkdir(join(folder.path, 'b'))
  const failed = writeArtefacts(folder.path, { files: { a: 'new', b: 'new' } })
  await expect(failed).rejects.toThrow('b: a folder is in its place')
  expect(await readFile(join(folder.path, 'a'), 'utf8')).toBe('old')
  expect((await readdir(folder.path)).toSorted()).toEqual(['a', 'b'])
})

/** Kills its own process before the rename of the given number, or never. */
const KILLED = `
  import fs from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const [, module, folder, last] = process.argv
  const { rename } = fs
  let renames = 0
  fs.rename = async (...paths) => {
    if (renames++ === Number(last)) process.kill(process.pid, 'SIGKILL')
    return rename(...paths)
  }
  syncBuiltinESMExports()
  const { writeArtefacts } = await import(module)
  const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'new']))
  await writeArtefacts(folder, { files, remove: ['d'] })
`
const MODULE = fileURLToPath(new URL('../../../dist/src/run/folder/artefacts.js', import.meta.url))
const OLD = { a: 'old', b: 'old', c: 'old', d: 'old' }
const NEW = { a: 'new', b: 'new', c: 'new' }

test.each([0, 1, 2, 3, 4])('killed before rename %i, the set is whole', async (renames) => {
  await using folder = await temporaryFolder()
  for (const [name, text] of Object.entries(OLD)) await writeFile(join(folder.path, name), text)
  const args = ['--input-type=module', '-e', KILLED, MODULE, folder.path, String(renames)]
  const { signal, stderr } = spawnSync(execPath, args, { encoding: 'utf8' })
  expect({ signal, stderr }).toEqual({ signal: renames === 4 ? null : 'SIGKILL', stderr: '' })
  await landArtefacts(folder.path)
  // The first rename declares the set complete; what comes before it is removed by the next writer.
  const { a, b, c, d } = await visibleContents(folder.path)
  expect({ a, b, c, d }).toEqual({ d: undefined, ...(renames === 0 ? OLD : NEW) })
  await writeArtefacts(folder.path, { files: { e: 'later' } })
  expect(await visibleContents(folder.path)).toEqual({ ...(renames === 0 ? OLD : NEW), e: 'later' })
})

test.each(['/proc/crewload/a/b', '/dev/null/a/b'])('%s takes no folders', async (path) => {
  await expect(makeFolder(path)).rejects.toThrow(/ENOENT|ENOTDIR|EACCES|EPERM/)
})

test('folders are made with those above them, and existing ones are kept', async () => {
  await using folder = await temporaryFolder()
  const deep = join(folder.path, 'a', 'b', 'c')
  await Promise.all([makeFolder(deep), makeFolder(deep), makeFolder(join(folder.path, 'a'))])
  expect(await readdir(join(folder.path, 'a', 'b'))).toEqual(['c'])
})
