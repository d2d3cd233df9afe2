import { expect, test } from 'vitest'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import { wallProfile } from '../../../fake-crew/model/wall-profile.ts'
import { parseProfileText } from '../../../fake-crew/profiles.ts'
import { Client } from '../client.ts'
import { SECOND, sampleProfile } from '../sample-profile.ts'

/** Every time of a profile, in `MINUTE`, which stands for a minute of the crew. */
const WRITTEN = `
tasks:
  - id: work
    agent: Worker
    duration: { lognormal: { median: MINUTE, p95: 3MINUTE, cap: 9MINUTE } }
    asks: { chance: 10%, for: MINUTE }
overhead: MINUTE
capacity:
  workers: { from: 1, to: 2, upAfter: MINUTE, downAfter: MINUTE }
  overLimit: { status: 503, retryAfter: MINUTE }
  coldStart: { delay: MINUTE, idle: MINUTE }
  quota: { calls: 6/MINUTE }
  tokens: { perMinute: 600, perCall: 10 }
retention: MINUTE
http: { latency: { kickoff: 60s } }
limits:
  rules:
    - { name: bucket, operations: [status], tokenBucket: { rate: 6/MINUTE, capacity: 2 } }
    - { name: window, operations: [kickoff], fixedWindow: { limit: 3, window: MINUTE }, block: MINUTE }
faults:
  - { name: hidden, notFound: { for: MINUTE }, window: { from: MINUTE, for: MINUTE, every: 2MINUTE } }
  - { name: off, status: { code: 503, headers: { Retry-After: '60' } }, episodes: { off: MINUTE, 'on': MINUTE } }
  - { name: slow, latency: 60s }
`

/** `unit`: `m`, or the `s` that it becomes at speed 60. */
function written(unit: string): Profile {
  const text = WRITTEN.replaceAll(/(\d?)MINUTE/g, (_, count: string) => `${count || 1}${unit}`)
  return parseProfileText(text, 'x')
}

test('a time-lapse divides every time of a profile but those of HTTP', () => {
  const { fixed, ...lapsed } = wallProfile({ ...written('m'), speed: 60 })
  const { fixed: _, ...real } = wallProfile(written('s'))
  const rate = { count: 360, perMicros: 60_000_000 }
  const [bucket, ...rules] = real.limits.rules
  const same = { ...bucket!, algorithm: { ...bucket!.algorithm, rate } }
  expect(lapsed).toEqual({ ...real, limits: { ...real.limits, rules: [same, ...rules] } })
  expect(fixed).toEqual({
    minuteMicros: 1_000_000,
    firstPauseMicros: 1_000_000 / 60,
    longestPauseMicros: 500_000,
  })
})

/** A crew for each of the faults. */
function clientsOf(unit: string, speed: number): Client[] {
  return written(unit).faults.map((fault) => new Client(sampleProfile({ speed, faults: [fault] })))
}

function spellsOf({ crew }: Client): unknown {
  return crew.faults.spells(20 * SECOND)
}

test('and every time of its faults but those of HTTP', () => {
  const [lapsed, real] = [clientsOf('m', 60), clientsOf('s', 1)]
  expect(lapsed.map(spellsOf)).toEqual(real.map(spellsOf))
  const told = [lapsed, real].map(([hidden, off, slow]) => {
    const id = hidden!.kickoff(SECOND)
    const found = [1.9, 2.1].map((second) => hidden!.status(id, second * SECOND).status)
    const waits = off!.ask('GET', '/inputs', {}, 1.5 * SECOND).headers['retry-after']
    return { found, waits, delayMicros: slow!.ask('GET', '/inputs').delayMicros }
  })
  expect(told).toEqual([
    { found: [404, 200], waits: '1', delayMicros: 60 * SECOND },
    { found: [404, 200], waits: '60', delayMicros: 60 * SECOND },
  ])
})
