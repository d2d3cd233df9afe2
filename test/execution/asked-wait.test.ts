/** Waits that an answer asks for: heeded before the next request, and kept in the record. */
import { describe, expect, test } from 'vitest'
import { createShared } from '../../src/execution/machine.ts'
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

const LIMITED = httpError(429)

describe('a wait that an answer asks for', () => {
  test('is honoured beside a refusal, and a longer interval still counts', () => {
    const wait = { ...LIMITED, headers: { 'retry-after': '4' } }
    const short = { ...LIMITED, headers: { 'retry-after': '0.5' } }
    const plan = planWith({ retry: { ...planWith().retry, statusRetries: 0 } })
    const [, first, second, third] = sends(live([ACCEPTED, wait, short, COMPLETED], plan))
    expect(second!.intendedMicros - first!.intendedMicros).toBe(2_050 + 4 * SECOND)
    expect(third!.intendedMicros - second!.intendedMicros).toBe(2_050 + SECOND)
  })

  test('is not honoured when the plan says so', () => {
    const wait = { ...LIMITED, headers: { 'retry-after': '4' } }
    const retry = { ...planWith().retry, statusRetries: 0 }
    const plan = planWith({ honourRetryAfter: false, retry })
    const [, first, second] = sends(live([ACCEPTED, wait, COMPLETED], plan))
    expect(second!.intendedMicros - first!.intendedMicros).toBe(SECOND + 2_050)
  })

  test.each<[string, Record<string, string>, 'obey' | null, number]>([
    ['a hint of slowapi', { 'x-ratelimit-remaining': '118', 'retry-after': '4' }, null, 1],
    [
      'a hint of slowapi, obeyed',
      { 'x-ratelimit-remaining': '118', 'retry-after': '4' },
      'obey',
      4,
    ],
    ['a hint alone', { 'retry-after': '4' }, null, 1],
    ['a hint in milliseconds', { 'retry-after-ms': '4000' }, null, 1],
    ['a hint in milliseconds, obeyed', { 'retry-after-ms': '4000' }, 'obey', 4],
    [
      'a hint beside a quota that is left',
      { ratelimit: '"a";r=3;t=9', 'retry-after': '4' },
      null,
      1,
    ],
    ['nothing that remains', { 'x-ratelimit-remaining': '0', 'retry-after': '4' }, null, 4],
    ['nothing that remains, by draft 8', { ratelimit: '"a";r=0', 'retry-after': '4' }, null, 4],
    ['nothing that remains, by draft 7', { ratelimit: 'remaining=0', 'retry-after': '4' }, null, 4],
    ['a quota that is used up', { ratelimit: '"a";r=0;t=4' }, null, 4],
  ])('beside an answer that refuses nothing: %s', (_, headers, hint, seconds) => {
    const { polling } = planWith()
    const plan = planWith({ polling: { ...polling, ...(hint === null ? {} : { hint }) } })
    const lived = live([ACCEPTED, { ...RUNNING, headers }, COMPLETED], plan)
    const [, first, second] = sends(lived)
    expect(second!.intendedMicros - first!.intendedMicros).toBe(2_050 + seconds * SECOND)
    expect(lived.record.polls.asked?.[0]?.hint).toBe(_.startsWith('a hint') ? true : undefined)
  })

  test('as a date without Date counts from the clock of the host', () => {
    const headers = { 'retry-after': 'Sun, 06 Nov 1994 08:49:40 GMT' }
    const plan = planWith({ retry: { ...planWith().retry, statusRetries: 0 } })
    const shared = createShared(plan, 'run', () => 784_111_777_000)
    const [, first, second] = sends(
      live([ACCEPTED, { ...LIMITED, headers }, COMPLETED], plan, { shared }),
    )
    expect(second!.intendedMicros - first!.intendedMicros).toBe(2_050 + 3 * SECOND)
  })

  test('an exhausted kickoff quota does not hold up the first poll, a hint does where obeyed', () => {
    const obeying = planWith({ polling: { ...planWith().polling, hint: 'obey' } })
    const quota = { ...ACCEPTED, headers: { ratelimit: '"kickoffs";r=0;t=5' } }
    const asked = { ...ACCEPTED, headers: { 'retry-after': '5' } }
    expect(sends(live([quota, COMPLETED]))[1]?.intendedMicros).toBe(SECOND + 3_050)
    expect(sends(live([asked, COMPLETED]))[1]?.intendedMicros).toBe(SECOND + 3_050)
    expect(sends(live([asked, COMPLETED], obeying))[1]?.intendedMicros).toBe(5 * SECOND + 3_050)
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
        { request: 1, micros: SECOND, hint: true },
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
