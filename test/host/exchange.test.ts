/** Whatever a target does to one request, the host tells it truthfully and in time. */
import { describe, expect, test } from 'vitest'
import * as act from '../hostile/acts.ts'
import type { Act } from '../hostile/server.ts'
import { hostileTarget, kickoff, nodeHost, send, status } from './support.ts'

const JSON_HEAD = { 'content-type': 'application/json' }
const CHUNKED = act.head(200, { ...JSON_HEAD, 'transfer-encoding': 'chunked' })
const MANY = 'x'.repeat(2_000_000)

describe('a failure has its class, says whether it was written and which status had come', () => {
  const rows: [string, Act, string, number | null][] = [
    ['RST before the head', act.resetAtOnce, 'reset', null],
    ['RST inside the head', act.rawThenReset('HTTP/1.1 200 OK\r\nconte'), 'reset', null],
    [
      'RST inside the body',
      act.rawThenReset(`${act.head(200, { 'content-length': 50 })}{"a`),
      'reset',
      200,
    ],
    ['FIN with no answer', act.endAtOnce, 'closed', null],
    ['FIN inside the head', act.rawThenEnd('HTTP/1.1 200 OK\r\nconte'), 'truncated', null],
    [
      'FIN inside the body',
      act.rawThenEnd(`${act.head(200, { 'content-length': 50 })}{"a`),
      'truncated',
      200,
    ],
    [
      'FIN inside the body of a closing answer',
      act.rawThenEnd(`${act.head(200, { 'content-length': 50, connection: 'close' })}{"a`),
      'truncated',
      200,
    ],
    ['FIN inside a chunk', act.rawThenEnd(`${CHUNKED}5\r\n{"a`), 'truncated', 200],
    [
      'FIN between chunks of a closing answer',
      act.rawThenEnd(
        `${act.head(200, { 'transfer-encoding': 'chunked', connection: 'close' })}1\r\n{\r\n`,
      ),
      'truncated',
      200,
    ],
    ['a chunk size that is no number', act.raw(`${CHUNKED}ZZ\r\n{}\r\n`), 'malformed-http', 200],
    ['another protocol', act.raw('220 mail.example.org ESMTP\r\n'), 'malformed-http', null],
    [
      'two content-lengths',
      act.raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'),
      'malformed-http',
      null,
    ],
    [
      'a head without end',
      act.raw(`HTTP/1.1 200 OK\r\na: ${'x'.repeat(80_000)}`),
      'malformed-http',
      null,
    ],
    ['100 Continue and no answer', act.raw('HTTP/1.1 100 Continue\r\n\r\n'), 'timeout', null],
    [
      'an upgrade unasked',
      act.raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
      'malformed-http',
      null,
    ],
    [
      'a flood of interim answers',
      act.raw('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200)),
      'malformed-http',
      null,
    ],
    ['never an answer', act.silence, 'timeout', null],
    ['a head that stalls', act.raw('HTTP/1.1 200 OK\r\n'), 'timeout', null],
    ['a head that drips', act.drip(act.head(200, { 'content-length': 2 }), 80), 'timeout', null],
    ['a body that stalls', act.raw(`${act.head(200, { 'content-length': 9 })}{`), 'timeout', 200],
    ['a body that drips', act.drip(`${CHUNKED}${'1\r\nx\r\n'.repeat(999)}`, 1), 'timeout', 200],
    [
      'a body over the limit, declared',
      act.raw(act.head(200, { 'content-length': 2e6 })),
      'too-large',
      200,
    ],
    ['a body over the limit, found out', act.raw(`${CHUNKED}1e8480\r\n${MANY}`), 'too-large', 200],
    ['a gzip bomb', act.gzipped(Buffer.alloc(50_000_000)), 'too-large', 200],
    [
      'a gzip that is none',
      act.answer('{}', 200, { 'content-encoding': 'gzip' }),
      'malformed-http',
      200,
    ],
  ]
  test.each(rows)('%s', async (_, kickoffAct, failureClass, statusCode) => {
    const target = await hostileTarget({ kickoff: kickoffAct })
    const host = await nodeHost(target.url)
    const answer = await send(host, kickoff(), failureClass === 'timeout' ? 1_000 : 5_000)
    expect(answer).toMatchObject({
      kind: 'failure',
      class: failureClass,
      written: true,
      status: statusCode,
    })
    expect(answer.timing.doneMicros - answer.timing.releasedMicros).toBeLessThan(3_000_000)
    expect(target.calls).toHaveLength(1)
  })
})

describe('an answer comes through', () => {
  const rows: [string, Act, number, string][] = [
    ['with its body', act.answer('{"a":1}'), 200, '{"a":1}'],
    ['without a body', act.raw(act.head(204, {})), 204, ''],
    ['with an empty body', act.answer(''), 200, ''],
    [
      'that ends with the connection',
      act.rawThenEnd(`${act.head(200, {})}{"a":1}`),
      200,
      '{"a":1}',
    ],
    ['of HTTP/1.0', act.rawThenEnd('HTTP/1.0 200 OK\r\n\r\n{}'), 200, '{}'],
    ['in chunks', act.raw(`${CHUNKED}1\r\n{\r\n1\r\n}\r\n0\r\n\r\n`), 200, '{}'],
    [
      'after interim answers',
      act.raw(`HTTP/1.1 103 Early Hints\r\n\r\n${act.head(200, { 'content-length': 2 })}{}`),
      200,
      '{}',
    ],
    ['gzipped though nobody asked', act.gzipped('{"a":1}'), 200, '{"a":1}'],
    ['with a byte order mark, which goes', act.answer('\u{feff}{}'), 200, '{}'],
    [
      'with bytes that are not UTF-8, replaced',
      act.answer(Buffer.from([0x22, 0xff, 0x22])),
      200,
      '"\u{fffd}"',
    ],
    ['that redirects, unfollowed', act.answer('', 302, { location: '/elsewhere' }), 302, ''],
    [
      'longer than its content-length, cut',
      act.raw(`${act.head(200, { 'content-length': 2 })}{}{}{}`),
      200,
      '{}',
    ],
  ]
  test.each(rows)('%s', async (_, statusAct, code, body) => {
    const target = await hostileTarget({ status: statusAct })
    const host = await nodeHost(target.url)
    expect(await send(host, status())).toMatchObject({ kind: 'answer', status: code, body })
    expect(target.calls).toHaveLength(1)
  })
})

test('gives header names in lower case and joins repeated fields', async () => {
  const bytes = 'HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\n__proto__: 3\r\ncontent-length: 0\r\n\r\n'
  const target = await hostileTarget({ status: act.raw(bytes) })
  const host = await nodeHost(target.url)
  const answer = await send(host, status())
  const headers = answer.kind === 'answer' ? answer.headers : {}
  expect(Object.entries(headers)).toEqual([
    ['x-a', '1, 2'],
    ['__proto__', '3'],
    ['content-length', '0'],
  ])
})

test('times out by the clock of the host, within a fraction of a second', async () => {
  const target = await hostileTarget({ status: act.silence })
  const host = await nodeHost(target.url)
  const { timing } = await send(host, status(), 60)
  const elapsed = timing.doneMicros - timing.releasedMicros
  expect(elapsed).toBeGreaterThanOrEqual(60_000)
  expect(elapsed).toBeLessThan(400_000)
})

test('holds no more of a large body than its limit', async () => {
  const chunk = Buffer.alloc(65_536, 0x20)
  const endless = act.flood(act.head(200, { connection: 'close' }), chunk)
  const target = await hostileTarget({ status: endless })
  const host = await nodeHost(target.url)
  const before = process.memoryUsage.rss()
  for (let i = 0; i < 10; i++) {
    expect(await send(host, status())).toMatchObject({ class: 'too-large' })
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(80_000_000)
})

describe('a request that cannot be sent fails unwritten', () => {
  test('as refused where nobody listens', async () => {
    const target = await hostileTarget()
    await target.close()
    const host = await nodeHost(target.url)
    expect(await send(host, kickoff())).toMatchObject({
      class: 'refused',
      written: false,
      status: null,
      timing: { sentMicros: null },
    })
  })

  test('as a name nobody knows', async () => {
    const host = await nodeHost('http://nobody.invalid')
    expect(await send(host, kickoff())).toMatchObject({ class: 'dns', written: false })
  })

  test('as other, for a path that is none', async () => {
    const target = await hostileTarget()
    const host = await nodeHost(target.url)
    const answer = await send(host, { ...status(), path: '/status/a b' })
    expect(answer).toMatchObject({ class: 'other', written: false })
    expect(await send(host, status())).toMatchObject({ kind: 'answer' })
  })
})
