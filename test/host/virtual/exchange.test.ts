/** The contract of `send`, as the Node host keeps it: one answer, true times, every way to fail. */
import { describe, expect, test } from 'vitest'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Answer } from '../../../src/crew/answer.ts'
import type { VirtualHost } from '../../../src/host/virtual/index.ts'
import type { Box } from './support.ts'
import {
  answered,
  ask,
  kickoff,
  plainNetwork,
  plainProfile,
  send,
  settle,
  status,
  virtualHost,
} from './support.ts'

const MS = MICROS_PER_MS

describe('an answer', () => {
  test('comes after set-up, round trip and the latency of the profile, and tells each of its times', () => {
    const host = virtualHost({ network: plainNetwork(10, 4), profile: plainProfile(7) })
    expect(ask(host, kickoff())).toMatchObject({
      kind: 'answer',
      status: 200,
      timing: {
        releasedMicros: 0,
        sentMicros: 4 * MS,
        doneMicros: 21 * MS,
        newConnection: true,
      },
    })
  })

  test('holds the latency already where the network includes it', () => {
    const network = plainNetwork(10, 0, { serverTime: 'included' })
    const host = virtualHost({ network, profile: plainProfile(7) })
    expect(ask(host, kickoff()).timing.doneMicros).toBe(10 * MS)
  })

  test('shows the crew as it was when the request arrived there', () => {
    // Accepted after 2 of 10 ms, the execution ends at 1,002 ms; the polls arrive 2 ms after they
    // were sent.
    const host = virtualHost({ network: plainNetwork(10, 0, { requestShare: 0.2 }) })
    const { kickoff_id: id } = JSON.parse(bodyOf(ask(host, kickoff()))) as { kickoff_id: string }
    const polls = [999_999, 1_000_000].map((micros) => pollAt(host, id, micros))
    const seen = polls.map((poll) => (JSON.parse(bodyOf(poll)) as { status: string }).status)
    expect(seen).toEqual(['running', 'completed'])
  })

  test('takes a microsecond at least, so that time never stands still', () => {
    const host = virtualHost({ network: plainNetwork(0) })
    expect(ask(host, kickoff()).timing.doneMicros).toBe(1)
  })

  test('is never given before `send` returns, and once', () => {
    const host = virtualHost({ network: plainNetwork(0) })
    const box = send(host, kickoff())
    expect(box.answers).toBe(0)
    settle(host)
    expect(box.answers).toBe(1)
  })

  test("carries the value beside the text, and HTTP's date", () => {
    const answer = ask(virtualHost(), { ...kickoff(), path: '/inputs', method: 'GET', body: null })
    expect(answer).toMatchObject({
      json: { inputs: ['topic', 'audience'] },
      headers: { date: 'Sat, 01 Jan 2000 00:00:00 GMT' },
    })
    expect(JSON.parse(bodyOf(answer))).toEqual((answer as { json: unknown }).json)
  })
})

describe('what the client presents', () => {
  test('is a token, dealt round by execution', () => {
    const host = virtualHost({ tokens: ['org', 'wrong'] })
    const codes = [0, 1, 2, 3].map((execution) => ask(host, kickoff(execution)).status)
    expect(codes).toEqual([200, 401, 200, 401])
  })

  test('is its correlation, which the ledger keeps', () => {
    const host = virtualHost()
    ask(host, kickoff(7))
    expect([...host.ledger()].map(({ correlation }) => correlation)).toEqual(['run/7'])
  })

  test('must be headers that can be sent', () => {
    expect(() => virtualHost({ http: { headers: { host: 'x' } } })).toThrow(/HTTP itself sets/)
  })
})

describe('a request without an answer', () => {
  test('times out when the answer would come later than the limit, having been written', () => {
    const host = virtualHost({ network: plainNetwork(10, 4), profile: plainProfile(7) })
    expect(ask(host, kickoff(), { timeoutMs: 20 })).toMatchObject({
      kind: 'failure',
      class: 'timeout',
      written: true,
      timing: { releasedMicros: 0, sentMicros: 4 * MS, doneMicros: 20 * MS },
    })
    expect([...host.ledger()], 'the crew has taken it all the same').toHaveLength(1)
  })

  test('times out while its connection is being opened, unwritten', () => {
    const host = virtualHost({ network: plainNetwork(10, 40) })
    expect(ask(host, kickoff(), { timeoutMs: 20 })).toMatchObject({
      class: 'connect-timeout',
      written: false,
      timing: { sentMicros: null, doneMicros: 20 * MS, newConnection: false },
    })
    expect([...host.ledger()]).toEqual([])
  })

  test('fails when no connection can be opened within its own limit', () => {
    const host = virtualHost({
      network: plainNetwork(10, 40),
      http: { connectTimeoutMicros: 30 * MS },
    })
    expect(ask(host, kickoff())).toMatchObject({
      class: 'connect-timeout',
      detail: 'no connection within 30 ms',
      written: false,
      timing: { doneMicros: 30 * MS },
    })
  })

  test('is cancelled once, later, and its connection is closed', () => {
    const host = virtualHost({ network: plainNetwork(10) })
    const box = send(host, kickoff())
    box.cancel()
    box.cancel()
    expect(box.answers).toBe(0)
    settle(host)
    expect(box.answer).toMatchObject({ class: 'cancelled', timing: { doneMicros: 0 } })
    expect(box.answers).toBe(1)
    ask(host, kickoff(1))
    expect(host.vitals().connectionsOpened).toBe(2)
  })

  test('is not cancelled any more when its answer has come', () => {
    const host = virtualHost()
    const box = send(host, kickoff())
    settle(host)
    box.cancel()
    settle(host)
    expect([box.answer?.kind, box.answers]).toEqual(['answer', 1])
  })

  test('is too large by its bytes in UTF-8, to the byte', () => {
    const profile = plainProfile(0, { inputs: ['é'.repeat(50)] })
    const request = { ...kickoff(), path: '/inputs', method: 'GET' as const, body: null }
    const bytes = new TextEncoder().encode(JSON.stringify({ inputs: profile.inputs })).length
    const host = virtualHost({ profile })
    expect(ask(host, request, { maxBytes: bytes }).kind).toBe('answer')
    expect(ask(host, request, { maxBytes: bytes - 1 })).toMatchObject({
      class: 'too-large',
      written: true,
      status: 200,
    })
  })
})

describe('a lost connection', () => {
  test('on the way there is a reset that the crew knows nothing of', () => {
    const network = plainNetwork(10, 0, { loss: { connection: 0, request: 1, answer: 0 } })
    const host = virtualHost({ network })
    expect(ask(host, kickoff())).toMatchObject({ class: 'reset', written: true })
    expect([...host.ledger()]).toEqual([])
  })

  test('on the way back is a reset after the crew has done it', () => {
    const network = plainNetwork(10, 0, { loss: { connection: 0, request: 0, answer: 1 } })
    const host = virtualHost({ network })
    expect(ask(host, kickoff())).toMatchObject({ class: 'reset', written: true })
    expect([...host.ledger()]).toHaveLength(1)
  })

  test('being opened is waited for until the limit', () => {
    const network = plainNetwork(10, 0, { loss: { connection: 1, request: 0, answer: 0 } })
    const host = virtualHost({ network, http: { connectTimeoutMicros: 30 * MS } })
    expect(ask(host, kickoff())).toMatchObject({ class: 'connect-timeout', written: false })
  })
})

function pollAt(host: VirtualHost, id: string, atMicros: number): Answer {
  const boxes: Box[] = []
  host.wakeAt(atMicros, () => boxes.push(send(host, status(id))))
  while (boxes.length === 0) host.advance(1)
  answered(host, boxes)
  return boxes[0]!.answer!
}

function bodyOf(answer: Answer): string {
  return answer.kind === 'answer' ? answer.body : ''
}
