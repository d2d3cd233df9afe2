import { describe, expect, test } from 'vitest'
import { measureVisit } from '../../../../../src/study/saturation/analyse/visit.ts'
import type { SaturatingRequest } from '../../../../../src/study/saturation/conduct/ladder/visit.ts'
import { TEST_CERTIFICATE } from '../../../../host/certificate.ts'
import { stolenMeter } from '../../../../../src/study/saturation/conduct/ladder/visit.ts'
import { after, climb, getRequest, MS, SECOND, secureTarget, target } from './support.ts'

test('counts the good answers of its window, and nothing before', async () => {
  const { url, arrivals } = await target(after(10))
  const counts = await climb(url, { warmUpMicros: 300 * MS, durationMicros: 1_100 * MS })
  expect(counts).toMatchObject({ connections: 2, errors: {}, reconnects: 0, endedBy: 'time' })
  expect(counts.windowMicros).toBeGreaterThanOrEqual(1_100 * MS)
  expect(counts.latency.n).toBeLessThan(arrivals.length - 10)
  expect(counts.slices).toHaveLength(Math.floor(counts.windowMicros / (100 * MS)))
  expect(counts.latency.min).toBeGreaterThanOrEqual(9 * MS)
  expect(counts.sent).toBeGreaterThanOrEqual(arrivals.length)
  expect(counts.utilisation).toBeGreaterThan(0)
  // Only Linux says it.
  expect(counts.stolen === null).toBe(stolenMeter()() === null)
  const { little } = measureVisit(counts, 1)
  expect(little.residual).toBeLessThan(0.1)
})

test('has a window that is never shorter than it was meant to be', async () => {
  const { url } = await target((_, response) => {
    // Timers begin at the time of their turn of the event loop: in a long one they come early.
    const until = performance.now() + 5
    while (performance.now() < until);
    response.end()
  })
  const counts = await climb(url, { connections: 4, durationMicros: 100 * MS })
  expect(counts.windowMicros).toBeGreaterThanOrEqual(100 * MS)
})

test('accounts for connections by requests that are still on their way when it closes', async () => {
  let n = 0
  const { url } = await target((_, response) => {
    // Later ones take longer than what is left of the window.
    if (++n <= 10) setTimeout(() => response.end(), 5)
  })
  const { little } = measureVisit(await climb(url, { timeoutMicros: 20 * SECOND }), 1)
  expect(little.residual).toBeLessThan(0.1)
})

/** Far longer than any answer takes, on a busy machine too. */
const FIRST_MS = 3_000

test('is not opened before every connection has had its first answer', async () => {
  let first = true
  const { url } = await target((_, response) => {
    setTimeout(() => response.end(), first ? FIRST_MS : 5)
    first = false
  })
  const counts = await climb(url, { connections: 3, timeoutMicros: 20 * SECOND })
  expect(counts.latency.max).toBeLessThan(FIRST_MS * MS)
})

test('answers that are not 2xx are errors by their code', async () => {
  let n = 0
  const { url } = await target((_, response) => {
    response.statusCode = ++n % 10 === 0 ? 429 : 200
    setTimeout(() => response.end(), 2)
  })
  const { errors, latency } = await climb(url, { amount: 1_000, durationMicros: 60 * SECOND })
  expect(Object.keys(errors)).toEqual(['429'])
  expect(Math.abs(latency.n / errors['429']! - 9)).toBeLessThan(0.5)
})

test('interim answers are no answers', async () => {
  let n = 0
  const { url, arrivals } = await target((_, response) => {
    response.writeContinue()
    response.writeProcessing()
    response.statusCode = ++n % 2 === 0 ? 404 : 200
    setTimeout(() => response.end('x'), 20)
  })
  const { errors, latency, sent } = await climb(url, { durationMicros: 400 * MS, connections: 1 })
  expect(Object.keys(errors)).toEqual(['404'])
  expect(latency.min).toBeGreaterThanOrEqual(19 * MS)
  expect(Math.abs(sent - arrivals.length)).toBeLessThanOrEqual(1)
})

test('a request without an answer is a time-out, and its connection goes on with the next', async () => {
  let n = 0
  const { url } = await target((_, response) => {
    if (++n % 20 !== 0) setTimeout(() => response.end(), 5)
  })
  const counts = await climb(url, { durationMicros: 2_500 * MS, connections: 1 })
  expect(counts.errors).toEqual({ timeout: counts.reconnects })
  expect(counts.reconnects).toBeGreaterThanOrEqual(1)
  expect(counts.latency.max).toBeLessThan(SECOND)
})

test('a target that hangs up costs the request that was on its way alone', async () => {
  let n = 0
  const { url } = await target((request, response) => {
    if (++n % 15 === 0) request.socket.end()
    else setTimeout(() => response.end(), 5)
  })
  const counts = await climb(url)
  const { errors, reconnects, latency, connections, windowMicros } = counts
  expect(errors).toEqual({ closed: reconnects })
  expect(reconnects).toBeGreaterThanOrEqual(2)
  // No answer is timed from an older request: connections have no more time than there is.
  expect(latency.sum).toBeLessThan(2 * connections * windowMicros)
})

test('a target that announces the close of its connection is not at fault for what is lost by it', async () => {
  const { url } = await target((_, response) => {
    response.setHeader('connection', 'close')
    setTimeout(() => response.end(), 5)
  })
  const { errors, reconnects, latency } = await climb(url)
  expect([errors, latency.n > 10, reconnects > 10]).toEqual([{}, true, true])
})

test('nobody listening is told as that', async () => {
  const { url, server } = await target(after(0))
  await new Promise((resolve) => server.close(resolve))
  const { errors, latency } = await climb(url, { durationMicros: 200 * MS })
  expect(Object.keys(errors)).toEqual(['refused'])
  expect(latency.n).toBe(0)
})

test('tokens are dealt round by connection', async () => {
  const seen = new Set<string>()
  const { url } = await target((request, response) => {
    const { authorization } = request.headers
    seen.add(`${String(request.headers['x-correlation-id'])} ${authorization ?? ''}`)
    setTimeout(() => response.end(), 5)
  })
  const headers = ['one', 'two'].map((token) => ({
    authorization: `Bearer ${token}`,
    'x-correlation-id': 'abc/saturate',
  }))
  await climb(url, { connections: 3, request: { ...getRequest(url), headers } })
  expect([...seen].toSorted()).toEqual(['abc/saturate Bearer one', 'abc/saturate Bearer two'])
})

test('a body is posted whole, again and again', async () => {
  const bodies = new Set<string>()
  const { url } = await target((request, response) => {
    bodies.add(
      `${request.method} ${request.headers['content-type']} ${request.headers['content-length']}`,
    )
    setTimeout(() => response.end(), 5)
  })
  const headers = [{ 'content-type': 'application/json' }]
  await climb(url, { request: { ...getRequest(url), method: 'POST', body: '{"é":1}', headers } })
  expect([...bodies]).toEqual(['POST application/json 8'])
})

describe('an amount', () => {
  let turn = 0
  test.each([
    ['a steady target', after(1)],
    [
      'a target that hangs up',
      (request, response) => {
        if (++turn % 7 === 0) request.socket.end()
        else response.end()
      },
    ],
    [
      'a target that closes after each answer',
      (_, response) => {
        response.setHeader('connection', 'close')
        response.end()
      },
    ],
    [
      'a target that resets',
      (request, response) => {
        if (++turn % 7 === 0) request.socket.resetAndDestroy()
        else response.end()
      },
    ],
  ] satisfies [string, Parameters<typeof target>[0]][])('is hard at %s', async (_, listener) => {
    const { url, arrivals } = await target(listener)
    const counts = await climb(url, { amount: 103, connections: 4, durationMicros: 5 * SECOND })
    expect(counts.sent).toBeLessThanOrEqual(103)
    expect(arrivals.length).toBeLessThanOrEqual(counts.sent)
    expect(counts.endedBy).toBe('budget')
  })

  test('is hard at a target that never answers', async () => {
    const { url, arrivals } = await target(() => {})
    const counts = await climb(url, { amount: 4, connections: 2, durationMicros: 5 * SECOND })
    expect(arrivals).toHaveLength(4)
    expect(counts).toMatchObject({ sent: 4, endedBy: 'budget', latency: { n: 0 } })
  })

  test('ends the warm-up with its tenth part', async () => {
    const { url } = await target(after(5))
    const long = 60 * SECOND
    const counts = await climb(url, { amount: 100, warmUpMicros: long, durationMicros: long })
    expect(counts.latency.n).toBeGreaterThanOrEqual(80)
    expect(counts.latency.n).toBeLessThanOrEqual(90)
  })

  test('closes the window when the first connection has spent its part', async () => {
    let slow: unknown
    let sentBySlow = 0
    const { url } = await target((request, response) => {
      slow ??= request.socket
      if (request.socket === slow) sentBySlow++
      setTimeout(() => response.end(), request.socket === slow ? 300 : 1)
    })
    const counts = await climb(url, { amount: 60, durationMicros: 60 * SECOND })
    expect(counts.endedBy).toBe('budget')
    expect(counts.sent).toBeLessThanOrEqual(60)
    expect(sentBySlow).toBeLessThan(30)
  })

  test('is not used up when the time is over first', async () => {
    const { url } = await target(after(20))
    const counts = await climb(url, { amount: 10_000, durationMicros: 300 * MS })
    expect(counts.endedBy).toBe('time')
    expect(counts.sent).toBeLessThan(1_000)
  })
})

test('a rung without a budget was never ended by one, not even when its window does not open', async () => {
  const { url } = await target(after(5))
  // A warm-up without end in a rung of two seconds: autocannon's own duration is over first.
  const changes = { warmUpMicros: 60 * SECOND, durationMicros: -60 * SECOND }
  expect(await climb(url, changes)).toMatchObject({ endedBy: 'time', windowMicros: 0 })
})

test('a signal ends it at once', async () => {
  const { url, arrivals } = await target(after(5))
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 150)
  const counts = await climb(url, { signal: stop.signal, durationMicros: 60 * SECOND })
  expect(counts.endedBy).toBe('stopped')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(arrivals.length).toBeLessThanOrEqual(counts.sent)
})

test('a signal given before ends it before it began', async () => {
  const { url } = await target(after(5))
  const counts = await climb(url, { signal: AbortSignal.abort(), durationMicros: 60 * SECOND })
  expect(counts.endedBy).toBe('stopped')
})

/** Those that it is given. */
async function tokensAt(): Promise<{ url: string; tokens: string[] }> {
  const tokens: string[] = []
  const url = await secureTarget((request, response) => {
    tokens.push(String(request.headers['authorization']))
    setTimeout(() => response.end(), 2)
  })
  return { url, tokens }
}

function secretRequest(url: string, tls: SaturatingRequest['tls']): SaturatingRequest {
  return { ...getRequest(url), headers: [{ authorization: 'Bearer secret' }], tls }
}

describe('an encrypted target', () => {
  test('that nobody trusts gets no token', async () => {
    const { url, tokens } = await tokensAt()
    const { errors, latency } = await climb(url, {
      request: secretRequest(url, {}),
      durationMicros: 300 * MS,
    })
    expect(Object.keys(errors)).toEqual(['tls'])
    expect(latency.n).toBe(0)
    expect(tokens).toEqual([])
  })

  test.each([
    ['by its authority', { ca: TEST_CERTIFICATE }],
    ['unseen', { insecure: true }],
  ])('is saturated when it is trusted %s', async (_, tls) => {
    const { url, tokens } = await tokensAt()
    const { errors, latency } = await climb(url, { request: secretRequest(url, tls) })
    expect(errors).toEqual({})
    expect(latency.n).toBeGreaterThan(10)
    expect(new Set(tokens)).toEqual(new Set(['Bearer secret']))
  })
})
