/** Whatever is in the place of a file of a folder is told by its path and line, at once. */
import { spawnSync } from 'node:child_process'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { UserError } from '../../../src/base/mistakes.ts'
import { blocksOf } from '../../../src/journal/file/blocks.ts'
import { readDocument } from '../../../src/journal/file/document.ts'
import { readLines } from '../../../src/journal/file/lines.ts'
import { temporaryFolder } from '../../support/cli.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(async () => folder[Symbol.asyncDispose]())

const schema = z.object({ a: z.number() })

async function written(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder.path, name)
  await writeFile(path, content)
  return path
}

async function messageOf(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  return (error as UserError).message
}

async function allBlocks(path: string): Promise<string> {
  let text = ''
  for await (const block of blocksOf(path)) text += `${block.toString('utf8')}\n`
  return text
}

describe('what is no regular file', () => {
  const odd: [name: string, make: (path: string) => unknown, words: RegExp][] = [
    ['a-folder', async (path) => mkdir(path), /a-folder: is a folder; expected a regular file$/],
    [
      'a-pipe',
      (path) => spawnSync('sh', ['-c', 'mkfifo "$0"', path]),
      /a-pipe: is a named pipe, a socket or a dev/,
    ],
    ['zeros', async (path) => symlink('/dev/zero', path), /zeros: is a named pipe, a socket or a/],
    ['round', async (path) => symlink(path, path), /round: cannot be read: ELOOP/],
  ]
  test.each(odd)('%s is told in every way of reading', async (name, make, words) => {
    const path = join(folder.path, name)
    await make(path)
    const ways = [
      async () => readDocument(path, schema),
      async () => readLines(path, schema),
      async () => allBlocks(path),
    ]
    for (const read of ways) expect(await messageOf(read())).toMatch(words)
  })

  test('nothing is null, and below a file is nothing', async () => {
    const file = await written('plain', '')
    for (const path of [join(folder.path, 'nothing'), join(file, 'below')]) {
      expect(await readDocument(path, schema)).toBeNull()
      expect(await readLines(path, schema)).toBeNull()
      expect(await messageOf(allBlocks(path))).toBe(`${path}: does not exist`)
    }
  })
})

describe('a document', () => {
  test.each([
    ['', 'it is empty'],
    ['\n', 'it is empty'],
    ['\0\0', 'it is not JSON'],
    ['{"a":1', 'it is not JSON'],
    [Buffer.from([0x22, 0xff, 0x22]), 'it is not UTF-8 text'],
    ['null', 'expected an object'],
    ['7', 'expected an object'],
    ['[]', 'expected an object'],
    ['"text"', 'expected an object'],
    ['{}', 'missing, expected a number'],
    ['{"a":1e999}', 'expected a number'],
  ])('%j is damaged: %s', async (content, why) => {
    const path = await written('document', content)
    const message = await messageOf(readDocument(path, schema, { remedy: 'do this' }))
    expect(message).toContain(path)
    expect(message).toContain('the file is damaged: ')
    expect(message).toContain(why)
    expect(message).toContain('; do this')
  })

  test('of more bytes than any of ours is not read', async () => {
    const path = await written('huge', '')
    await truncate(path, 2 ** 40)
    expect(await messageOf(readDocument(path, schema))).toContain('larger than any of ours')
  })

  test('is what the schema makes of it', async () => {
    expect(await readDocument(await written('good', '{"a":1,"b":2}'), schema)).toEqual({ a: 1 })
  })
})

describe('lines', () => {
  const good = '{"a":1}\n'
  test.each([
    ['a cut line', `${good}{"a"\n${good}`, 2],
    ['a later schema', `${good}${good}{"b":1}\n${good}`, 3],
    ['null', `null\n${good}`, 1],
    ['no UTF-8', Buffer.concat([Buffer.from(good), Buffer.from([0xff, 0x0a])]), 2],
    ['NUL bytes', `${good}\n\0\0\0\n`, 3],
  ])('%s is told with its number', async (_, content, line) => {
    const path = await written('lines', content)
    expect(await messageOf(readLines(path, schema))).toMatch(new RegExp(`^${path}:${line}`))
  })

  test('appended by a process that was killed may end in half a line, and only there', async () => {
    const cut = await written('cut', `${good}${good}{"a`)
    expect(await readLines(cut, schema, { isAppended: true })).toHaveLength(2)
    expect(await messageOf(readLines(cut, schema))).toMatch(/cut:3/)
    const inside = await written('inside', `${good}{"a\n${good}`)
    expect(await messageOf(readLines(inside, schema, { isAppended: true }))).toMatch(/inside:2/)
  })

  test('compressed lines are read, and damaged ones told', async () => {
    const packed = gzipSync(good.repeat(3))
    expect(await readLines(await written('packed', packed), schema)).toHaveLength(3)
    const path = await written('broken', packed.subarray(0, packed.length - 9))
    expect(await messageOf(readLines(path, schema))).toMatch(/broken: cannot be read: unexpected/)
    expect(await messageOf(allBlocks(path))).toMatch(/broken: cannot be read: unexpected/)
  })

  test('one that is far too long is refused without being kept', async () => {
    const path = await written('long', Buffer.alloc(65 * 1024 * 1024, 0x61))
    expect(await messageOf(readLines(path, schema))).toMatch(/long:1: the file is damaged/)
  })
})
