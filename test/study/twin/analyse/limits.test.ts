/** Limits that a study of limits told of: which of them a twin has, and what is said of the others. */
import { describe, expect, test } from 'vitest'
import { parseProfileText } from '../../../../fake-crew/model/parse.ts'
import { LIMITER_KINDS } from '../../../../src/study/frame/limiter-kinds.ts'
import { fileOf, twinOf } from '../../../../src/study/twin/analyse/analyse.ts'
import { learnCrew } from '../../../../src/study/twin/analyse/learn/learn.ts'
import type { StudiedLimit } from '../../../../src/study/twin/analyse/learn/limits.ts'
import { runOf } from '../crews.ts'

const CREW = { workers: 4, service: () => 20, executions: 40, truth: 'ledger' } as const
const RUN = runOf({ ...CREW, perMinute: 6 })

/** A limit of every parameter that any kind has. */
const TOLD: StudiedLimit = {
  operation: 'status',
  kind: 'fixed-window',
  probability: 0.9,
  ratePerSecond: { value: 2 },
  capacity: { value: 5 },
  limit: { value: 60 },
  windowMs: { value: 60_000 },
  aligned: 'calendar',
  concurrency: { value: 3 },
  blockMs: { value: 30_000 },
  delaying: false,
  countsRefused: null,
  refusal: null,
  also: [],
}

const twinWith = (told: Partial<StudiedLimit>) => {
  const twin = twinOf(learnCrew([RUN], [{ ...TOLD, ...told }]))
  const profile = parseProfileText(fileOf(twin, null)!, 'twin.yaml')
  const parts = twin.parts.filter(({ name }) => name.includes('limit on'))
  return { rules: profile.limits.rules, parts }
}

describe('a limit in a twin', () => {
  test.each([
    ['token-bucket', 'token-bucket'],
    ['leaky-bucket', 'leaky-bucket'],
    ['fixed-window', 'fixed-window'],
    ['sliding-log', 'sliding-log'],
    ['sliding-counter', 'sliding-counter'],
    ['concurrency', 'concurrency'],
    ['penalty', 'fixed-window'],
  ] as const)('of the kind %s is a rule of the profile', (kind, algorithm) => {
    const { rules, parts } = twinWith({ kind })
    expect(rules).toHaveLength(1)
    expect(rules[0]).toMatchObject({ algorithm: { kind: algorithm }, blockMicros: 30e6 })
    expect(parts).toMatchObject([{ identified: true, at: 'limits.rules.0' }])
  })

  test.each([
    ['token-bucket', { ratePerSecond: null }, 'its rate or its capacity is not known'],
    ['leaky-bucket', { capacity: null }, 'its rate or its capacity is not known'],
    ['fixed-window', { limit: null }, 'its limit or its window is not known'],
    ['sliding-log', { windowMs: null }, 'its limit or its window is not known'],
    ['sliding-counter', { windowMs: null }, 'its limit or its window is not known'],
    ['concurrency', { concurrency: null }, 'the number of requests in flight is not known'],
    ['penalty', { blockMs: null }, 'its limit, its window or its block is not known'],
    ['sliding-log', { probability: 0.49 }, 'its kind is uncertain'],
    ['unknown', {}, 'the answers fit no kind, or too many'],
  ] as const)('of the kind %s that is left out is told: %o', (kind, missing, why) => {
    const { rules, parts } = twinWith({ kind, ...missing })
    expect(rules).toEqual([])
    expect(parts).toHaveLength(1)
    expect(parts[0]).toMatchObject({ name: 'limit on status', identified: false, at: null })
    expect(parts[0]!.learned.message).toContain(`. The twin omits it, because ${why}`)
    expect(parts[0]!.learned.remedy).toBe('a study of limits, by crewload limits')
  })

  test('of no kind is nothing to tell of', () => {
    expect(twinWith({ kind: 'none' })).toEqual({ rules: [], parts: [] })
  })

  test('is written or told, whatever its kind', () => {
    const isTold = LIMITER_KINDS.map((kind) => [kind, twinWith({ kind }).parts.length])
    expect(isTold).toEqual(LIMITER_KINDS.map((kind) => [kind, kind === 'none' ? 0 : 1]))
  })

  test('on kickoffs that a full queue explains is told as left out', () => {
    const full = runOf({ ...CREW, perMinute: 60 })
    const sentMicros = full.executions.at(-1)!.accepted!
    const refused = { answer: 429, sentMicros, doneMicros: sentMicros, fresh: 1 } as const
    const run = { ...full, requests: { kickoff: [refused], status: [] } }
    const { parts } = twinOf(learnCrew([run], [{ ...TOLD, operation: 'kickoff' }]))
    expect(parts.find(({ name }) => name === 'limit on kickoff')!.learned.message).toBe(
      'fixed-window, probability 0.900, by the study of limits. The twin omits it, because a full ' +
        'queue explains its refusals',
    )
  })

  test('beside another one is told as left out', () => {
    const also = [{ kind: 'fixed-window', basis: 'promised' }] as const
    const { rules, parts } = twinWith({ kind: 'token-bucket', also })
    expect(rules).toHaveLength(1)
    expect(parts.map(({ name }) => name)).toEqual(['limit on status', 'further limit on status'])
    expect(parts[1]!.learned.message).toBe(
      'fixed-window, promised by headers alone; the twin omits it, because no request reached it',
    )
  })
})
