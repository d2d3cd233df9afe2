/** Answers of HTTP/1.1 are read alike however their bytes are cut, and strictly. */
import * as fc from 'fast-check'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import {
  AnswerParser,
  HeadReader,
  MalformedAnswer,
} from '../../../src/host/node/http1/answer-parser.ts'
import type { Head } from '../../../src/host/node/http1/answer-parser.ts'
import * as act from '../../hostile/acts.ts'
import { hostileTarget } from '../support.ts'

interface Read {
  status: number | null
  headers: Record<string, string>
  body: string
  reusable: boolean | null
  malformed: string | null
  /** The end of the connection completed the answer. */
  ended: boolean
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** Reads what one connection carries after one request, then its end. */
function read(pieces: readonly Buffer[]): Read {
  const seen: Read = {
    status: null,
    headers: {},
    body: '',
    reusable: null,
    malformed: null,
    ended: false,
  }
  const parser = new AnswerParser(new HeadReader())
  parser.expect({
    onBegun: () => {},
    onHead: ({ status, headers }: Head) => Object.assign(seen, { status, headers: { ...headers } }),
    onData: (bytes) => (seen.body += bytes.toString('latin1')),
    onComplete: (reusable) => (seen.reusable = reusable),
  })
  try {
    for (const piece of pieces) {
      if (seen.reusable !== null) break
      parser.push(piece)
    }
    seen.ended = parser.end()
  } catch (error) {
    if (!(error instanceof MalformedAnswer)) throw error
    seen.malformed = error.message
  }
  return seen
}

const whole = (text: string): Read => read([bytesOf(text)])

const ANSWERS = [
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=1\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx-late: 1\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 500 \r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.0 200 OK\r\n\r\nuntil the end',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 429 Too Many\r\nretry-after:\t 5 \r\nset-cookie: a\r\nset-cookie: b\r\ncontent-length: 1\r\n\r\n?',
]

/** undici ends the connection at a `100 Continue`: these are not compared with it. */
const AFTER_100 = [
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
  'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 \r\nx-a: 1\r\n\r\nHTTP/1.1 199 ?\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)}HTTP/1.1 204 No Content\r\n\r\n`,
]

test('an answer is the same however its bytes are cut', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.constantFrom(...ANSWERS, ...AFTER_100), cuts, (text, lengths) => {
      const bytes = bytesOf(text)
      const pieces: Buffer[] = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const length = lengths[i % lengths.length]!
        pieces.push(bytes.subarray(at, at + length))
        at += length
      }
      expect(read(pieces)).toEqual(whole(text))
    }),
    { seed: 11, numRuns: 400 },
  )
  const all = [...ANSWERS, ...AFTER_100].map(whole)
  expect(all.map(({ malformed }) => malformed)).toEqual(all.map(() => null))
  expect(all.map(({ status }) => status)).toEqual([
    200, 200, 200, 500, 200, 204, 429, 200, 200, 204,
  ])
})

describe('what two readers could take for two things is malformed', () => {
  test.each<[string, string]>([
    ['both lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\n{}'],
    ['a signed length', 'HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\n{}'],
    ['a length of no digits', 'HTTP/1.1 200 OK\r\ncontent-length: \r\n\r\n{}'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\n{}'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nx-a: 1\r\n 2\r\ncontent-length: 0\r\n\r\n'],
    ['a field without a name', 'HTTP/1.1 200 OK\r\n: 1\r\n\r\n'],
    ['a line without a colon', 'HTTP/1.1 200 OK\r\nhello\r\n\r\n'],
    ['a NUL in a field', 'HTTP/1.1 200 OK\r\nx-a: \u0000\r\n\r\n'],
    ['a bare CR in a field', 'HTTP/1.1 200 OK\r\nx-a: 1\rx-b: 2\r\n\r\n'],
    ['a bare LF, told before the head ends', 'HTTP/1.1 200 OK\nx-a: 1\n'],
    ['a version of its own', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['another protocol, told before its line ends', 'SSH-2.0'],
    ['a negative size of a chunk', `${act.head(200, { 'transfer-encoding': 'chunked' })}-1\r\n`],
    ['a chunk without a size', `${act.head(200, { 'transfer-encoding': 'chunked' })}\r\n`],
    ['a chunk over its size', `${act.head(200, { 'transfer-encoding': 'chunked' })}1\r\nab\r\n`],
    [
      'a size without end',
      `${act.head(200, { 'transfer-encoding': 'chunked' })}1;${'x'.repeat(5e3)}`,
    ],
    [
      'trailers without end',
      `${act.head(200, { 'transfer-encoding': 'chunked' })}0\r\n${'x'.repeat(7e4)}`,
    ],
  ])('%s', (_, text) => {
    expect(whole(text)).toMatchObject({ reusable: null, malformed: expect.any(String) as string })
  })
})

describe('a connection is used again', () => {
  test.each<[string, string, boolean]>([
    ['after an answer of HTTP/1.1', ANSWERS[0]!, true],
    ['after the last chunk', ANSWERS[1]!, true],
    [
      'not if the server closes it',
      act.head(200, { 'content-length': 0, connection: 'Close' }),
      false,
    ],
    ['not in HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', false],
    [
      'in HTTP/1.0 if the server says so',
      'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n',
      true,
    ],
    [
      'not if an interim answer closes it',
      `HTTP/1.1 100 \r\nconnection: close\r\n\r\n${ANSWERS[0]}`,
      false,
    ],
    ['after interim answers', `HTTP/1.1 100 \r\ncontent-length: 9\r\n\r\n${ANSWERS[0]}`, true],
    ['not if bytes follow the answer', `${ANSWERS[0]}HTTP/1.1 200 OK\r\n\r\n`, false],
  ])('%s', (_, text, reusable) => {
    expect(whole(text)).toMatchObject({ reusable, malformed: null })
  })
})

test('CONNECT is answered by the head alone, whatever it says of a body', () => {
  const parser = new AnswerParser(new HeadReader(true))
  const seen: unknown[] = []
  parser.expect({
    onBegun: () => {},
    onHead: ({ status }) => seen.push(status),
    onData: (bytes) => seen.push(bytes.toString()),
    onComplete: () => seen.push('complete'),
  })
  const fields = 'content-length: 9\r\ntransfer-encoding: chunked\r\n'
  parser.push(bytesOf(`HTTP/1.1 100 \r\n\r\nHTTP/1.0 200 Connection established\r\n${fields}\r\n`))
  expect(seen).toEqual([200, 'complete'])
})

test('bytes behind an answer are never given to the next request', () => {
  const parser = new AnswerParser(new HeadReader())
  const statuses: number[] = []
  const sink = {
    onBegun: () => {},
    onHead: ({ status }: Head) => statuses.push(status),
    onData: () => {},
    onComplete: () => parser.expect(sink),
  }
  parser.expect(sink)
  parser.push(bytesOf(ANSWERS[5]!.repeat(3)))
  expect(statuses).toEqual([204])
})

/** Bytes that are nearly an answer. */
const nearly = fc
  .tuple(
    fc.constantFrom(...ANSWERS),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('', '\r', '\n', '\r\n', ' ', ':', '0', '7', 'a', ';', '\u0000', '\u00ff'),
        fc.nat(3),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((now, [place, put, cut]) => {
      const at = place % (now.length + 1)
      return now.slice(0, at) + put + now.slice(at + cut)
    }, text),
  )

test('bytes that are nearly an answer end as an answer, as cut off or as malformed', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(nearly, (text) => {
      const { malformed, reusable } = whole(text)
      seen.add(malformed === null ? `reusable: ${reusable}` : 'malformed')
    }),
    { seed: 12, numRuns: 2_000 },
  )
  expect([...seen].toSorted()).toEqual([
    'malformed',
    'reusable: false',
    'reusable: null',
    'reusable: true',
  ])
})

test('whatever it takes for an answer, undici takes for the same', async () => {
  let text = ''
  const target = await hostileTarget({ status: (socket) => socket.end(bytesOf(text)) })
  let compared = 0
  await fc.assert(
    fc.asyncProperty(nearly, async (mutated) => {
      text = mutated
      const ours = whole(mutated)
      if (ours.malformed !== null || ours.reusable === null) return
      compared++
      const theirs = await request(`${target.url}/status/x`, { reset: true })
      const body = Buffer.from(await theirs.body.arrayBuffer()).toString('latin1')
      expect({ status: theirs.statusCode, body }).toEqual({ status: ours.status, body: ours.body })
    }),
    { seed: 13, numRuns: 600 },
  )
  expect(compared).toBeGreaterThan(100)
})
