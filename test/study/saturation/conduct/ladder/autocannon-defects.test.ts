/**
 * Contract tests of autocannon 9: each pins a defect that this room works around, and fails once
 * autocannon has mended it. Then the work-around can go, and what the room says of autocannon must
 * be read again.
 */
import autocannon from 'autocannon'
import { describe, expect, test } from 'vitest'
import { after, secureTarget, target } from './support.ts'

test('without a rate, coordinated omission is not corrected, which is how this room uses it', async () => {
  const { url, arrivals } = await target(after(100))
  const { latency } = await autocannon({ url, connections: 1, amount: 10 })
  expect([totalCount(latency), arrivals.length]).toEqual([10, 10])
})

test('pins a defect: requests.sent counts what never left this machine', async () => {
  const { url, server } = await target(after(0))
  await new Promise((resolve) => server.close(resolve))
  const { requests } = await autocannon({ url, connections: 1, duration: 1 })
  expect(requests.sent).toBeGreaterThan(10)
})

describe('a target that closes its connections', () => {
  test('pins a defect: the latency after a close is that of older requests, which grow older and older', async () => {
    const { url, arrivals } = await target((_, response) => {
      response.setHeader('connection', 'close')
      setTimeout(() => response.end(), 10)
    })
    const { latency } = await autocannon({ url, connections: 1, duration: 2 })
    expect(arrivals.length).toBeGreaterThan(20)
    expect(latency.p50).toBeGreaterThan(200)
  })

  test('pins a defect: requests that are lost by a close are counted nowhere', async () => {
    let n = 0
    const { url } = await target((request, response) => {
      if (++n % 5 === 0) request.socket.end()
      else setTimeout(() => response.end(), 5)
    })
    const { errors, non2xx } = await autocannon({ url, connections: 1, duration: 1 })
    expect(n).toBeGreaterThan(10)
    expect([errors, non2xx]).toEqual([0, 0])
  })
})

test('pins a defect: it accepts any certificate, and sends the token to whoever has one', async () => {
  const tokens = new Set<string>()
  const url = await secureTarget((request, response) => {
    tokens.add(String(request.headers['authorization']))
    response.end()
  })
  const headers = { authorization: 'Bearer secret' }
  await autocannon({
    url,
    headers,
    connections: 1,
    amount: 3,
    tlsOptions: { rejectUnauthorized: true },
  })
  expect([...tokens]).toEqual(['Bearer secret'])
})

/** autocannon's types do not tell it. */
function totalCount(latency: autocannon.Histogram): number {
  return (latency as autocannon.Histogram & { totalCount: number }).totalCount
}
