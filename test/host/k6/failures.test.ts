/**
 * Every way in which a request fails in k6, as a failure class; and whether the target may have
 * seen it.
 */
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../src/crew/answer.ts'
import { ANSWERED, hostIn, NO_CONNECTION, settled, StillWorld } from './world.ts'
import type { Asked } from './world.ts'

/** What becomes of a poll that k6 ends so. */
async function failureOf(end: (asked: Asked) => void, isSecure = false): Promise<Answer> {
  const world = new StillWorld()
  const host = hostIn(world, { target: `http${isSecure ? 's' : ''}://crew.test` })
  const answers: Answer[] = []
  const poll = { operation: 'status', execution: 0, method: 'GET', path: '/status/a' } as const
  const limits = { timeoutMicros: 300_000, maxBytes: 10 }
  host.send({ ...poll, body: null, correlation: 'run/0' }, limits, (each) => answers.push(each))
  end(world.asked[0]!)
  await settled()
  return answers[0]!
}

const SENT = { ...ANSWERED, status: 0 }
const UNSENT = { ...ANSWERED, ...NO_CONNECTION }

describe('on a connection that stood', () => {
  test.each([
    [1050, 'request timeout', 'timeout'],
    [1220, 'read: connection reset by peer', 'reset'],
    [1201, 'write: broken pipe', 'closed'],
    [1000, 'EOF', 'closed'],
    [1000, 'http: server closed idle connection', 'closed'],
    [1000, 'unexpected EOF', 'truncated'],
    [1000, 'malformed HTTP response "nonsense"', 'malformed-http'],
    [
      1000,
      'net/http: HTTP/1.x transport connection broken: malformed MIME header',
      'malformed-http',
    ],
    [1000, 'bad Content-Length "x"', 'malformed-http'],
    [1000, 'unsupported transfer encoding: "x"', 'malformed-http'],
    [1000, 'invalid byte in chunk length', 'malformed-http'],
    [1000, 'server response headers exceeded 1048576 bytes; aborted', 'malformed-http'],
    [1701, 'gzip: invalid header', 'malformed-http'],
    [1000, 'context canceled', 'cancelled'],
    [1632, 'http2: stream error with http2 ErrCode INTERNAL_ERROR', 'reset'],
    [1000, 'something new', 'other'],
  ])('%i %s is %s, and may have been written', async (code, error, name) => {
    const failure = await failureOf(({ answer }) => answer({ ...SENT, error_code: code, error }))
    expect(failure).toMatchObject({ class: name, written: true, detail: error })
  })
})

describe('without a connection', () => {
  test.each([
    [1212, 'dial: connection refused', false, 'refused'],
    [1101, 'lookup: no such host', false, 'dns'],
    [1100, 'lookup x: server misbehaving', false, 'dns'],
    [1211, 'dial: i/o timeout', false, 'connect-timeout'],
    [1050, 'request timeout', true, 'connect-timeout'],
    [1210, 'dial tcp 10.0.0.1:1: connect: no route to host', false, 'unreachable'],
    [1213, 'dial: unknown errno 113 error with msg `no route to host`', false, 'unreachable'],
    [1220, 'dial: connection reset by peer', true, 'unreachable'],
    [1220, 'read: connection reset by peer', true, 'tls'],
    [1000, 'EOF', true, 'tls'],
    [1000, 'EOF', false, 'unreachable'],
    [1310, 'x509: unknown authority', true, 'tls'],
    [1311, "x509: certificate doesn't match hostname", true, 'tls'],
    [1000, 'remote error: tls: handshake failure', true, 'tls'],
    [1000, 'x509: certificate has expired or is not yet valid', true, 'tls'],
    [1213, 'dial: unknown errno 24 error with msg `too many open files`', false, 'other'],
  ])('%i %s (TLS: %s) is %s, and was not written', async (code, error, secure, name) => {
    const failure = await failureOf(
      ({ answer }) => answer({ ...UNSENT, error_code: code, error }),
      secure,
    )
    expect(failure).toMatchObject({ class: name, written: false })
  })
})

test('what k6 gives up itself may have been written', async () => {
  const why = new Error('unsupported response status: 101')
  expect(await failureOf(({ reject }) => reject(why))).toMatchObject({
    class: 'other',
    written: true,
  })
})

test('words are kept short and on one line', async () => {
  const error = `a\n${'b'.repeat(500)}`
  const failure = await failureOf(({ answer }) => answer({ ...SENT, error_code: 1000, error }))
  const detail = failure.kind === 'failure' ? failure.detail : ''
  expect(detail).toHaveLength(120)
  expect(detail).not.toContain('\n')
})
