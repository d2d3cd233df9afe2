import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { followConnection } from '../../../../../src/study/saturation/conduct/ladder/connection.ts'

/** The events of autocannon's client in the order in which it emits them, a millisecond apart. */
async function told(...events: [name: string, ...details: unknown[]][]): Promise<string[]> {
  const client = new EventEmitter()
  const log: string[] = []
  let clock = 0
  followConnection(client, () => (clock += 1_000), {
    sent: () => log.push('sent'),
    ended: (end, took) => log.push(`${end} after ${took / 1_000} ms`),
    reopened: () => log.push('reopened'),
    done: () => log.push('done'),
  })
  for (const [at, [name, ...details]] of events.entries()) {
    client.emit(name, ...details)
    // A time-out is told in the same breath as what it leads to.
    if (events[at + 1]?.[0] !== 'timeout') await turn()
  }
  return log
}

const OPEN = { shouldKeepAlive: true }
const CLOSING = { shouldKeepAlive: false }

test('an answer ends the request that was sent last', async () => {
  expect(
    await told(['request'], ['headers', OPEN], ['response', 200], ['request'], ['response', 503]),
  ).toEqual(['sent', '200 after 1 ms', 'sent', '503 after 1 ms'])
})

test('a request that begins while another is on its way tells that the connection was closed', async () => {
  expect(await told(['request'], ['request'], ['response', 200])).toEqual([
    'sent',
    'reopened',
    'sent',
    'closed after 1 ms',
    '200 after 1 ms',
  ])
})

test('a request written behind an answer that announced the close is nobody’s failure', async () => {
  expect(
    await told(
      ['request'],
      ['headers', CLOSING],
      ['response', 200],
      ['request'],
      ['request'],
      ['headers', OPEN],
      ['response', 200],
      ['request'],
      ['request'],
    ),
  ).toEqual([
    'sent',
    '200 after 1 ms',
    'sent',
    'reopened',
    'sent',
    '200 after 1 ms',
    'sent',
    'reopened',
    'sent',
    'closed after 1 ms',
  ])
})

test('a time-out is told behind the request that follows it', async () => {
  expect(await told(['request'], ['request'], ['timeout'])).toEqual([
    'sent',
    'reopened',
    'sent',
    'timeout after 1 ms',
  ])
})

test('a time-out of the last request stands alone', async () => {
  expect(await told(['request'], ['done'], ['timeout'])).toEqual([
    'sent',
    'done',
    'timeout after 1 ms',
  ])
})

test('a connection error ends the request by its class', async () => {
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
  expect(await told(['request'], ['connError', refused], ['request'])).toEqual([
    'sent',
    'reopened',
    'refused after 1 ms',
    'sent',
  ])
})
