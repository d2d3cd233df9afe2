/**
 * Limits in front of a target: exactly so many requests reach it, and what is told of them is true.
 */
import { describe, expect, test } from 'vitest'
import { Client, PATIENT, startProxy, startTarget } from './support.ts'

const ONE_AN_HOUR = 'fixedWindow: { limit: 1, window: 1h, from: first hit }'

describe('limits', () => {
  test('let exactly so many through, and refuse the rest before the target', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(
      target.url,
      `
limits:
  headers: draft-6
  rules:
    - { name: kickoffs, operations: [kickoff], fixedWindow: { limit: 7, window: 1h, from: first hit } }
    - { name: polls, operations: [status], tokenBucket: { rate: 1/h, capacity: 5 } }
`,
    )
    await using client = new Client()
    const kickoffs = await Promise.all(
      Array.from({ length: 20 }, async () => client.kickoff(proxy.url)),
    )
    const polls = await Promise.all(
      Array.from({ length: 20 }, async () => client.ask(`${proxy.url}/status/id-0`)),
    )
    const counted = (answers: typeof kickoffs, code: number): number =>
      answers.filter(({ status }) => status === code).length
    expect([counted(kickoffs, 200), counted(kickoffs, 429)]).toEqual([7, 13])
    expect([counted(polls, 200), counted(polls, 429)]).toEqual([5, 15])
    expect(target.seen.map(({ method }) => method).toSorted()).toEqual([
      ...Array<string>(5).fill('GET'),
      ...Array<string>(7).fill('POST'),
    ])
    const left = kickoffs.slice(0, 7).map(({ headers }) => headers['ratelimit-remaining'])
    expect(new Set(left)).toEqual(new Set(['0', '1', '2', '3', '4', '5', '6']))
    const refused = kickoffs.find(({ status }) => status === 429)!
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '7', 'ratelimit-remaining': '0' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500)
    const marks = (await client.ask(`${proxy.url}/__fake__/refusals`)).body.trimEnd().split('\n')
    expect(marks.filter((mark) => mark.includes('"refused_by":"kickoffs"'))).toHaveLength(13)
    expect(marks.filter((mark) => mark.includes('"kickoff_id":"id-0"'))).toHaveLength(15)
    const metrics = (await client.ask(`${proxy.url}/__fake__/metrics`)).body
    expect(metrics).toContain('fake_crew_refused_total{limit="kickoffs"} 13\n')
    expect(metrics).toContain('fake_crew_requests_total{operation="kickoff",status="200"} 7\n')
    expect(metrics).not.toContain('fake_crew_executions')
  })

  test('refuse a request of any size without a word of it to the target', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(
      target.url,
      `limits: { rules: [{ name: one, ${ONE_AN_HOUR} }] }`,
    )
    await using client = new Client()
    const body = 'x'.repeat(4 * 1024 * 1024)
    const sent = { method: 'POST', body } as const
    expect((await client.ask(`${proxy.url}/kickoff`, sent)).status).toBe(200)
    expect((await client.ask(`${proxy.url}/kickoff`, sent)).status).toBe(429)
    expect((await client.ask(`${proxy.url}/kickoff`, sent)).status).toBe(429)
    expect(target.seen.map((seen) => seen.body.length)).toEqual([body.length])
  })

  test('answer a refusal as late as the profile says', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(
      target.url,
      `limits: { rules: [{ name: one, ${ONE_AN_HOUR}, refusal: { after: 120ms } }] }`,
    )
    await using client = new Client()
    expect((await client.ask(`${proxy.url}/status/id-0`)).status).toBe(200)
    const began = performance.now()
    expect((await client.ask(`${proxy.url}/status/id-0`)).status).toBe(429)
    expect(performance.now() - began).toBeGreaterThan(115)
  })

  test('count what the interface knows, and let everything else through', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(
      target.url,
      `limits: { rules: [{ name: all, per: all, ${ONE_AN_HOUR} }] }`,
    )
    await using client = new Client()
    const ask = async (method: string, path: string): Promise<number> =>
      (await client.ask(proxy.url + path, { method })).status
    expect(await ask('GET', '/healthz')).toBe(404)
    expect(await ask('OPTIONS', '/kickoff')).toBe(404)
    expect(await ask('DELETE', '/status/id-0')).toBe(200)
    expect(await ask('GET', '/status/id-0')).toBe(200)
    expect(await ask('GET', '/status/id-0')).toBe(429)
    expect(await ask('GET', '/healthz')).toBe(404)
  })

  test('count each token of the clients, whatever the target makes of it', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(
      target.url,
      `limits: { rules: [{ name: each, per: token, ${ONE_AN_HOUR} }] }`,
    )
    await using client = new Client()
    const statuses = []
    for (const token of ['a', 'b', 'a', 'b']) {
      const headers = { authorization: `Bearer ${token}` }
      statuses.push((await client.ask(`${proxy.url}/status/id-0`, { headers })).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429])
    expect(target.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer a',
      'Bearer b',
    ])
  })

  test('of concurrency make room when an answer has left or its client has gone', async () => {
    const held: (() => void)[] = []
    await using target = await startTarget((_, response) => held.push(() => response.end('here')))
    await using proxy = await startProxy(
      target.url,
      'limits: { rules: [{ name: a, per: all, concurrency: { limit: 1 } }] }',
    )
    await using client = new Client()
    await using other = new Client()
    const url = `${proxy.url}/inputs`
    const first = client.ask(url)
    await expect.poll(() => held.length, PATIENT).toBe(1)
    expect((await other.ask(url)).status).toBe(429)
    held[0]!()
    expect((await first).status).toBe(200)
    const impatient = new AbortController()
    const second = client.outcome(url, { signal: impatient.signal })
    await expect.poll(() => held.length, PATIENT).toBe(2)
    expect((await other.ask(url)).status).toBe(429)
    impatient.abort()
    await second
    await expect.poll(() => target.cancelled, PATIENT).toBe(1)
    const third = other.ask(url)
    await expect.poll(() => held.length, PATIENT).toBe(3)
    held[2]!()
    expect((await third).status).toBe(200)
  })

  test('that hold back send on in turn, and at once when the proxy stops', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(
      target.url,
      'limits: { rules: [{ name: a, leakyBucket: { rate: 1/h, burst: 9, excess: delayed } }] }',
    )
    await using client = new Client()
    await using other = new Client()
    expect((await client.ask(`${proxy.url}/status/id-0`)).status).toBe(200)
    const waiting = other.outcome(`${proxy.url}/status/id-0`)
    const metrics = async (): Promise<string> =>
      (await client.ask(`${proxy.url}/__fake__/metrics`)).body
    await expect.poll(metrics, PATIENT).toMatch(/in_flight 1\n/)
    expect(target.seen).toHaveLength(1)
    await proxy.stop()
    expect(await waiting).toBe(200)
    expect(target.seen).toHaveLength(2)
  })
})
