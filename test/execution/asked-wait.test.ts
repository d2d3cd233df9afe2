/** Waits that an answer asks for: heeded before the next request, and kept in the record. */
import { describe, expect, test } from 'vitest'
import {
  ACCEPTED,
  COMPLETED,
  httpError,
  live,
  planWith,
  RUNNING,
  SECOND,
  sends,
} from './support.ts'

describe('a wait that an answer asks for', () => {
  test('Retry-After is honoured, and a longer interval still counts', () => {
    const wait = { ...RUNNING, headers: { 'retry-after': '4' } }
    const short = { ...RUNNING, headers: { 'retry-after': '0.5' } }
    const [, first, second, third] = sends(live([ACCEPTED, wait, short, COMPLETED]))
    expect(second!.intendedMicros - first!.intendedMicros).toBe(2_050 + 4 * SECOND)
    expect(third!.intendedMicros - second!.intendedMicros).toBe(2_050 + SECOND)
  })

  test('Retry-After is not honoured when the plan says so', () => {
    const wait = { ...RUNNING, headers: { 'retry-after': '4' } }
    const plan = planWith({ honourRetryAfter: false })
    const [, first, second] = sends(live([ACCEPTED, wait, COMPLETED], plan))
    expect(second!.intendedMicros - first!.intendedMicros).toBe(SECOND + 2_050)
  })

  test('an exhausted kickoff quota does not hold up the first poll, Retry-After does', () => {
    const quota = { ...ACCEPTED, headers: { ratelimit: '"kickoffs";r=0;t=5' } }
    const asked = { ...ACCEPTED, headers: { 'retry-after': '5' } }
    expect(sends(live([quota, COMPLETED]))[1]?.intendedMicros).toBe(SECOND + 3_050)
    expect(sends(live([asked, COMPLETED]))[1]?.intendedMicros).toBe(5 * SECOND + 3_050)
  })

  test('the record tells which answers asked for a wait, heeded or not', () => {
    const limited = { ...httpError(429), headers: { 'retry-after': '2' } }
    const quota = { ...RUNNING, headers: { ratelimit: '"all";r=0;t=3' } }
    const left = { ...RUNNING, headers: { ratelimit: '"all";r=1;t=3' } }
    const accepted = { ...ACCEPTED, headers: { 'retry-after': '1', ratelimit: '"all";r=0;t=9' } }
    for (const honourRetryAfter of [true, false]) {
      const replies = [limited, accepted, left, quota, limited, COMPLETED]
      const { kickoff, polls } = live(replies, planWith({ honourRetryAfter })).record
      expect(kickoff.asked).toEqual([
        { request: 0, micros: 2 * SECOND },
        { request: 1, micros: SECOND },
      ])
      expect(polls.asked).toEqual([
        { request: 1, micros: 3 * SECOND },
        { request: 2, micros: 2 * SECOND },
      ])
      expect(polls.dueMicros[2]! - polls.dueMicros[1]! > 3 * SECOND).toBe(honourRetryAfter)
    }
    expect(live([ACCEPTED, RUNNING, COMPLETED]).record.polls).not.toHaveProperty('asked')
  })
})
