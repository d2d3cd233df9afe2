/**
 * At every answer, in each dialect and of each algorithm: what is told to be left is what could be
 * sent now, and what is told to come back has come by then and not a unit before. The truth is
 * found by trying it out on crews that were asked the same.
 */
import { describe, expect, test } from 'vitest'
import type { Crew } from '../../../../fake-crew/model/crew.ts'
import { createCrew } from '../../../../fake-crew/model/crew.ts'
import type { FakeRequest, Reply } from '../../../../fake-crew/model/exchange.ts'
import { Held } from '../../../../fake-crew/model/exchange.ts'
import type { HeaderDialect } from '../../../../fake-crew/model/limits/headers.ts'
import type { LimitProfile } from '../../../../fake-crew/model/limits/profile.ts'
import type { Profile } from '../../../../fake-crew/model/profile.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { TOKENS, patiently } from '../../client.ts'
import { SECOND } from '../../sample-profile.ts'
import { limited, rule } from './rules.ts'
import { areExperimentsRun } from '../../../experiments.ts'

/** 2026-11-21T08:02:22.345Z. */
const ANCHOR_UNIX_MS = 1_795_248_142_345
const SEQUENCES = areExperimentsRun ? 8 : 3
const LONGEST = 7
const LIMIT = 4

const ALGORITHMS: LimitProfile['algorithm'][] = [
  { kind: 'token-bucket', rate: { count: 2, perMicros: 3 * SECOND }, capacity: LIMIT },
  { kind: 'leaky-bucket', rate: { count: 2, perMicros: 3 * SECOND }, burst: 3, excess: 'at once' },
  { kind: 'leaky-bucket', rate: { count: 2, perMicros: 3 * SECOND }, burst: 3, excess: 'delayed' },
  { kind: 'fixed-window', limit: LIMIT, windowMicros: 5 * SECOND, from: 'calendar' },
  { kind: 'fixed-window', limit: LIMIT, windowMicros: 5 * SECOND, from: 'first hit' },
  { kind: 'sliding-log', limit: LIMIT, windowMicros: 5 * SECOND },
  { kind: 'sliding-counter', limit: LIMIT, windowMicros: 5 * SECOND, estimate: 'exact' },
]

/** One request: when it comes, and whether its answer has left before the next. */
interface Asked {
  atMicros: number
  leaves: boolean
}

interface HeaderPromise {
  limit: number
  remaining: number
  /** When more comes back, or all of it, on the model's clock; null for no word of it. */
  backMicros: number | null
}

interface Language {
  read(headers: Reply['headers'], nowMicros: number): HeaderPromise | null
  /** What comes back by then: one more than there is, or all. */
  back: 'more' | 'all'
  unitMicros: number
}

function numbers(text: string | undefined, pattern: RegExp): number[] {
  return (pattern.exec(text ?? '') ?? []).slice(1).map(Number)
}

/** Of three fields with one ending each. */
function fields(
  prefix: string,
  suffix: string,
  backOf: (reset: string, nowMicros: number) => number,
): Language['read'] {
  return (headers, nowMicros) => {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map(
      (name) => headers[`${prefix}${name}${suffix}`],
    )
    if (reset === undefined) return null
    const backMicros = backOf(reset, nowMicros)
    return { limit: Number(limit), remaining: Number(remaining), backMicros }
  }
}

const inSeconds = (reset: string, nowMicros: number): number => nowMicros + Number(reset) * SECOND
const onWall = (unixMs: number): number => (unixMs - ANCHOR_UNIX_MS) * 1_000

function inGoDuration(reset: string, nowMicros: number): number {
  const ms = /^(\d+)ms$/.exec(reset)?.[1]
  return nowMicros + (ms === undefined ? Number.parseFloat(reset) * SECOND : Number(ms) * 1_000)
}

const LANGUAGES: Record<Exclude<HeaderDialect, 'none'>, Language> = {
  'draft-10': {
    read(headers, nowMicros) {
      const [remaining, seconds] = numbers(headers['ratelimit'], /^"default";r=(\d+)(?:;t=(\d+))?$/)
      const [limit] = numbers(headers['ratelimit-policy'], /^"default";q=(\d+);/)
      if (remaining === undefined || limit === undefined) return null
      const more = Number.isNaN(seconds) ? null : nowMicros + seconds! * SECOND
      return { limit, remaining, backMicros: more }
    },
    back: 'more',
    unitMicros: SECOND,
  },
  'draft-7': {
    read(headers, nowMicros) {
      const pattern = /^limit=(\d+), remaining=(\d+), reset=(\d+)$/
      const [limit, remaining, seconds] = numbers(headers['ratelimit'], pattern)
      if (limit === undefined) return null
      return { limit, remaining: remaining!, backMicros: nowMicros + seconds! * SECOND }
    },
    back: 'all',
    unitMicros: SECOND,
  },
  'draft-6': { read: fields('ratelimit-', '', inSeconds), back: 'all', unitMicros: SECOND },
  'x-ratelimit-delta': {
    read: fields('x-ratelimit-', '', inSeconds),
    back: 'all',
    unitMicros: SECOND,
  },
  'x-ratelimit-epoch': {
    read: fields('x-ratelimit-', '', (reset) => onWall(Number(reset) * 1_000)),
    back: 'all',
    unitMicros: SECOND,
  },
  'x-ratelimit-duration': {
    read: fields('x-ratelimit-', '-requests', inGoDuration),
    back: 'all',
    unitMicros: 1_000,
  },
  anthropic: {
    read: fields('anthropic-ratelimit-requests-', '', (reset) => onWall(Date.parse(reset))),
    back: 'all',
    unitMicros: SECOND,
  },
  slowapi: {
    read: fields('x-ratelimit-', '', (reset) => Math.round(onWall((Number(reset) - 1) * 1_000))),
    back: 'more',
    unitMicros: 1_000,
  },
  kong: { read: fields('ratelimit-', '', inSeconds), back: 'all', unitMicros: SECOND },
}

function request(): FakeRequest {
  const headers = { authorization: `Bearer ${TOKENS.organization}` }
  return { method: 'GET', path: '/inputs', headers, body: null, address: '127.0.0.1' }
}

function crewAfter(profile: Profile, past: readonly Asked[]): Crew {
  const crew = createCrew(profile, { tokens: TOKENS, anchorUnixMs: ANCHOR_UNIX_MS })
  for (const { atMicros, leaves } of past) {
    const asked = request()
    crew.answer(asked, atMicros)
    if (leaves) crew.finished(asked, atMicros)
  }
  return crew
}

/** The last of these requests: its answer, and when it is given. */
function answerTo(profile: Profile, asked: readonly Asked[]): { reply: Reply; nowMicros: number } {
  const { atMicros } = asked.at(-1)!
  const answered = crewAfter(profile, asked.slice(0, -1)).answer(request(), atMicros)
  const { reply, servedMicros } = patiently(answered, atMicros)
  return { reply, nowMicros: servedMicros }
}

/** How many requests at once are let in at that time, the last of these still in flight. */
function letIn(profile: Profile, asked: readonly Asked[], atMicros: number): number {
  const crew = crewAfter(profile, [...asked.slice(0, -1), { ...asked.at(-1)!, leaves: false }])
  for (let count = 0; ; count++) {
    const answered = crew.answer(request(), atMicros)
    if (!(answered instanceof Held) && answered.status === 429) return count
    if (count > 2 * LIMIT) throw new Error('there is no limit')
  }
}

function sequence(seed: number): { asked: Asked[]; changes: Partial<LimitProfile>; speed: number } {
  const random = createRandom(seed)
  const asked: Asked[] = []
  for (let atMicros = 0; asked.length < LONGEST;) {
    asked.push({ atMicros, leaves: random.pick([true, false]) })
    atMicros += random.pick([0, 1, 400_000, SECOND, random.int(3 * SECOND)])
  }
  const changes = {
    rejected: random.pick<LimitProfile['rejected']>(['free', 'counted']),
    blockMicros: random.pick([0, 0, 2 * SECOND]),
  }
  return { asked, changes, speed: random.pick([1, 1, 7]) }
}

/** What is wrong with the words of one answer; nothing when they are true. */
function untruth(profile: Profile, asked: readonly Asked[], language: Language): string | null {
  const { reply, nowMicros } = answerTo(profile, asked)
  const told = language.read(reply.headers, nowMicros)
  if (told === null) return 'is not told'
  const { limit, remaining, backMicros } = told
  if (limit !== LIMIT) return `told a limit of ${limit}`
  const left = letIn(profile, asked, nowMicros)
  if (left !== remaining) return `told that ${remaining} are left, and ${left} were let in`
  if (backMicros === null) return remaining === limit ? null : 'told no time of more'
  const back = language.back === 'all' ? limit : remaining + 1
  const then = letIn(profile, asked, backMicros)
  if (then < Math.min(back, limit)) return `told of ${back} by then, and ${then} were let in`
  const beforeMicros = backMicros - language.unitMicros
  if (beforeMicros < nowMicros) return null
  const before = letIn(profile, asked, beforeMicros)
  return before >= back ? `told of ${back} by then, and they were there a unit before` : null
}

describe.each(Object.entries(LANGUAGES))('what is told in %s is true', (name, language) => {
  test.each(ALGORITHMS.map((algorithm) => [JSON.stringify(algorithm), algorithm] as const))(
    '%s',
    (_, algorithm) => {
      const dialect = name as HeaderDialect
      let told = 0
      for (let seed = 0; seed < SEQUENCES; seed++) {
        const { asked, changes, speed } = sequence(seed)
        const profile = limited([rule({ algorithm, ...changes })], dialect, { speed })
        for (let length = 1; length <= asked.length; length++) {
          expect(untruth(profile, asked.slice(0, length), language), `${seed}: ${length}`).toBe(
            null,
          )
          told++
        }
      }
      expect(told).toBe(SEQUENCES * LONGEST)
    },
  )
})

describe('concurrency', () => {
  const algorithm = { kind: 'concurrency', limit: LIMIT } as const

  test.each([0, 1, 2, 3])('is told in draft-10, without a time (%d)', (seed) => {
    const profile = limited([rule({ algorithm })], 'draft-10')
    const { asked } = sequence(seed)
    for (let length = 1; length <= asked.length; length++) {
      const part = asked.slice(0, length)
      const { reply, nowMicros } = answerTo(profile, part)
      const told = LANGUAGES['draft-10'].read(reply.headers, nowMicros)
      const remaining = letIn(profile, part, nowMicros)
      expect(told).toEqual({ limit: LIMIT, remaining, backMicros: null })
    }
  })

  test.each(Object.entries(LANGUAGES).slice(1))('is not told in %s', (name, language) => {
    const profile = limited([rule({ algorithm })], name as HeaderDialect)
    const { reply, nowMicros } = answerTo(profile, [{ atMicros: 0, leaves: true }])
    expect(language.read(reply.headers, nowMicros)).toBe(null)
  })
})
