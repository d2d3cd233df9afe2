/** Tokens from the environment and from files. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTokens } from '../../../src/cli/flags/reach.ts'
import { temporaryFolder } from '../../support/cli.ts'

async function inFile(bytes: string | Buffer): Promise<string[]> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'tokens')
  await writeFile(file, bytes)
  return await readTokens(file, {})
}

test('a line is a token; blank lines, comments and a byte order mark are none', async () => {
  expect(await inFile('\uFEFF# production\none\r\n\n  # staging\ntwo==\n')).toEqual([
    'one',
    'two==',
  ])
  expect(await readTokens(undefined, { CREWLOAD_TOKEN: 'one' })).toEqual(['one'])
})

test.each<[string, string | Buffer, RegExp]>([
  ['two words', 'one\nsecret words\n', /:2: is no token/],
  ['a letter beyond ASCII', 'sécret\n', /:1: is no token/],
  ['its scheme', 'Bearer secret\n', /:1: a token begins with "Bearer "/],
  ['UTF-16', Buffer.from('\uFEFFsecret\n', 'utf16le'), /is UTF-16/],
  ['nothing but comments', '# secret\n', /contains no token/],
])('a file with %s is a mistake, which repeats no secret', async (_, bytes, words) => {
  const error = await inFile(bytes).catch((thrown: unknown) => thrown as Error)
  expect((error as Error).message).toMatch(words)
  expect((error as Error).message).not.toContain('ecret')
})
