/**
 * Contract tests of autocannon 9: each pins a defect that this room works around, and fails once
 * autocannon has mended it. Then the work-around can go, and what the room says of autocannon must
 * be read again.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import autocannon from 'autocannon'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { TEST_CERTIFICATE, TEST_KEY } from '../../../../host/certificate.ts'
import { after, target } from './support.ts'

describe('the correction of coordinated omission', () => {
  test('pins a defect: it takes seconds for milliseconds, so that 25 answers of 100 ms become thousands of samples', async () => {
    const { url, arrivals } = await target(after(100))
    const { latency } = await autocannon({ url, connections: 1, connectionRate: 25, amount: 25 })
    expect(arrivals).toHaveLength(25)
    expect(totalCount(latency)).toBeGreaterThan(25 * 90)
    expect(latency.p50).toBeLessThan(80)
  })

  test('pins a defect: the option that turns it off is refused without a rate', async () => {
    const { url } = await target(after(1))
    const options = { url, connections: 1, duration: 1, ignoreCoordinatedOmission: true }
    await expect(autocannon(options)).rejects.toThrow(/makes no sense without connectionRate/)
  })

  test('is not at work without a rate, which is how this room uses it', async () => {
    const { url, arrivals } = await target(after(100))
    const { latency } = await autocannon({ url, connections: 1, amount: 10 })
    expect([totalCount(latency), arrivals.length]).toEqual([10, 10])
  })
})

describe('the rate mode', () => {
  test('pins a defect: it sends each second’s requests in a burst at its start', async () => {
    const { url, arrivals } = await target((_, response) => response.end())
    const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const
    vi.useFakeTimers({ toFake: [...timers] })
    onTestFinished(() => void vi.useRealTimers())
    const load = autocannon({ url, connections: 1, connectionRate: 20, amount: 50 }, () => {})
    // Evenly, 20 a second are one every 50 ms. Here the clock stands still, and a whole second's
    // are sent.
    await until(() => arrivals.length === 20)
    vi.advanceTimersByTime(950)
    await turns(200)
    expect(arrivals).toHaveLength(20)
    vi.advanceTimersByTime(50)
    await until(() => arrivals.length === 40)
    vi.advanceTimersByTime(1_000)
    await until(() => arrivals.length === 50)
    vi.useRealTimers()
    load.stop()
  })

  test('pins a defect: with workers each of them has the whole rate', async () => {
    const { url, arrivals } = await target(after(0))
    await autocannon({ url, connections: 2, overallRate: 10, duration: 3, workers: 2 })
    // 10 a second for 3 s would be 30, and the burst at the end 10 more.
    expect(arrivals.length).toBeGreaterThan(45)
  })

  test('pins a defect: requests.sent counts more than were sent', async () => {
    const { url, arrivals } = await target(after(0))
    const { requests } = await autocannon({ url, connections: 1, connectionRate: 20, amount: 10 })
    expect(arrivals).toHaveLength(10)
    expect(requests.sent).toBeGreaterThan(20)
  })
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
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (request, response) => {
    tokens.add(String(request.headers['authorization']))
    response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
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

/** Turns of the event loop: sockets go on in them while the timers stand still. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate()
}

async function until(reached: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!reached() && performance.now() < deadline) await turns(1)
  expect(reached()).toBe(true)
}
