/** Rate limits over real sockets: held back by timers, made room for when an answer has left. */
import { expect, test } from 'vitest'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { ask, started } from '../live-client.ts'
import { written } from '../sample-profile.ts'

/** For a busy machine. */
const PATIENT = { timeout: 10_000 }

async function start(yaml: string): Promise<FakeCrew> {
  return started({ profile: written(`tasks: [{ id: a, agent: A, duration: 1s }]\n${yaml}`) })
}

async function metricsOf({ url }: FakeCrew): Promise<string> {
  return (await fetch(`${url}/__fake__/metrics`)).text()
}

test('a request that is held back is answered in its turn', async () => {
  const crew = await start(
    'limits: { rules: [{ name: a, leakyBucket: { rate: 10/s, burst: 9, excess: delayed } }] }',
  )
  const began = performance.now()
  const answers = await Promise.all([0, 0, 0].map(async () => ask(crew, '/inputs')))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(performance.now() - began).toBeGreaterThanOrEqual(198)
})

test('a request that is held back is answered at once when the server stops', async () => {
  const crew = await start(
    'limits: { rules: [{ name: a, leakyBucket: { rate: 1/h, burst: 9, excess: delayed } }] }',
  )
  await ask(crew, '/inputs')
  const held = ask(crew, '/inputs')
  await expect.poll(async () => metricsOf(crew), PATIENT).toMatch(/in_flight 1\n/)
  await crew.stop()
  expect((await held).status).toBe(200)
})

test('a request makes room when its client goes, or its answer has left', async () => {
  const crew = await start(`
http: { latency: { inputs: 1h } }
limits: { rules: [{ name: a, concurrency: { limit: 1 } }] }
`)
  const impatient = new AbortController()
  const slow = ask(crew, '/inputs', { signal: impatient.signal })
  await expect.poll(async () => metricsOf(crew), PATIENT).toMatch(/in_flight 1\n/)
  expect((await ask(crew, '/status/unknown')).status).toBe(429)
  impatient.abort()
  await expect(slow).rejects.toThrow('aborted')
  for (let n = 0; n < 3; n++) {
    await expect.poll(async () => (await ask(crew, '/status/unknown')).status, PATIENT).toBe(404)
  }
})
