import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { ReadBody } from '../../../fake-crew/server/body.ts'
import { readBody } from '../../../fake-crew/server/body.ts'

const LIMIT = 10

/** What is told of a body that comes in these pieces: a list, for it must be told once. */
async function told(pieces: readonly Buffer[]): Promise<ReadBody[]> {
  const stream = new PassThrough()
  const bodies: ReadBody[] = []
  readBody(stream, LIMIT, (body) => bodies.push(body))
  for (const piece of pieces) stream.write(piece)
  const ended = new Promise((resolve) => stream.once('end', resolve))
  stream.end()
  await ended
  return bodies
}

const EURO = Buffer.from('a€b')

test.each([
  ['nothing', [], ''],
  ['one piece', [Buffer.from('{}')], '{}'],
  ['a character cut in two', [EURO.subarray(0, 2), EURO.subarray(2)], 'a€b'],
  ['just the limit', [Buffer.alloc(4, 'x'), Buffer.alloc(6, 'y')], 'xxxxyyyyyy'],
])('reads %s', async (_, pieces, text) => {
  expect(await told(pieces)).toEqual([{ text, oversize: false }])
})

test.each([
  ['at once', [Buffer.alloc(LIMIT + 1)]],
  ['by the second piece', [Buffer.alloc(LIMIT), Buffer.alloc(1)]],
  ['and drains what follows', [Buffer.alloc(LIMIT + 1), Buffer.alloc(5), Buffer.alloc(5)]],
])('tells a body over the limit %s', async (_, pieces) => {
  expect(await told(pieces)).toEqual([{ text: null, oversize: true }])
})
