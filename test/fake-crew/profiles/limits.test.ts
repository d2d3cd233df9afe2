/**
 * Limits are read with every default filled in; a wrong one names each fault and where it stands.
 */
import { describe, expect, test } from 'vitest'
import { parseProfile } from '../../../fake-crew/profiles.ts'
import { toldMistakes } from '../../support/mistakes.ts'

const TASK = 'tasks: [{ id: a, agent: A, duration: 1s }]'

function limitsOf(yaml: string) {
  return parseProfile(`${TASK}\nlimits:\n${yaml}`, 'busy.yaml').limits
}

function ruleOf(yaml: string) {
  return limitsOf(`  rules: [{ name: a, ${yaml} }]`).rules[0]!
}

function told(yaml: string): string[] {
  return toldMistakes(() => limitsOf(yaml))
}

describe('what is read', () => {
  test('a limit counts every operation of a token, and refuses with 429', () => {
    expect(limitsOf('  rules: [{ name: all, slidingLog: { limit: 5, window: 1m } }]')).toEqual({
      bodyBytes: 1_048_576,
      headers: 'none',
      rules: [
        {
          name: 'all',
          operations: ['inputs', 'kickoff', 'status', 'resume'],
          quota: 'shared',
          per: 'token',
          algorithm: { kind: 'sliding-log', limit: 5, windowMicros: 60_000_000 },
          rejected: 'free',
          blockMicros: 0,
          refusal: { status: 429, retryAfter: 'seconds' },
        },
      ],
    })
  })

  test.each([
    [
      'tokenBucket: { rate: 40/h, capacity: 3 }',
      { kind: 'token-bucket', rate: { count: 40, perMicros: 3_600_000_000 }, capacity: 3 },
    ],
    [
      'leakyBucket: { rate: 0.5/s }',
      {
        kind: 'leaky-bucket',
        rate: { count: 0.5, perMicros: 1_000_000 },
        burst: 0,
        excess: 'at once',
      },
    ],
    [
      'leakyBucket: { rate: 1/s, burst: 4, excess: delayed }',
      {
        kind: 'leaky-bucket',
        rate: { count: 1, perMicros: 1_000_000 },
        burst: 4,
        excess: 'delayed',
      },
    ],
    [
      'fixedWindow: { limit: 7, window: 10s }',
      { kind: 'fixed-window', limit: 7, windowMicros: 10_000_000, from: 'calendar' },
    ],
    [
      'fixedWindow: { limit: 7, window: 10s, from: first hit }',
      { kind: 'fixed-window', limit: 7, windowMicros: 10_000_000, from: 'first hit' },
    ],
    [
      'slidingCounter: { limit: 7, window: 10s }',
      { kind: 'sliding-counter', limit: 7, windowMicros: 10_000_000, estimate: 'exact' },
    ],
    ['concurrency: { limit: 2 }', { kind: 'concurrency', limit: 2 }],
  ])('%s', (yaml, algorithm) => {
    expect(ruleOf(yaml).algorithm).toEqual(algorithm)
  })

  test('everything else that a rule says', () => {
    const rule = ruleOf(
      'operations: [kickoff, status], quota: each, per: address, concurrency: { limit: 1 }, ' +
        'rejected: counted, block: 30s, refusal: { status: 529, retryAfter: date }',
    )
    expect(rule).toMatchObject({
      operations: ['kickoff', 'status'],
      quota: 'each',
      per: 'address',
      rejected: 'counted',
      blockMicros: 30_000_000,
      refusal: { status: 529, retryAfter: 'date' },
    })
  })
})

describe('what is wrong', () => {
  test('every fault is told at once, with its place and what is allowed', () => {
    expect(
      told(`  headers: draft-9
  rules:
    - name: not a name
      operations: [kickof]
      per: user
      tokenBucket: { rate: 0/s, capacity: 0 }
      slidingLog: { limit: 1.5, window: 0 }
    - name: empty
    - name: empty
      operations: []
      concurrency: { limit: 1, window: 1s }
      block: 0s
      refusal: { status: 500, retryAfter: soon }
`),
    ).toMatchInlineSnapshot(`
      [
        "busy.yaml:3:3 limits.headers: expected one of none, draft-10, draft-7, draft-6, x-ratelimit-epoch, x-ratelimit-delta, x-ratelimit-duration, anthropic, slowapi, kong (found "draft-9")",
        "busy.yaml:5:7 limits.rules[0].name: expected a name of letters, digits, "-" and "_" (found "not a name")",
        "busy.yaml:5:7 limits.rules[0]: expected exactly one of tokenBucket, leakyBucket, fixedWindow, slidingLog, slidingCounter, concurrency (found a mapping)",
        "busy.yaml:6:20 limits.rules[0].operations[0]: expected one of inputs, kickoff, status, resume (found "kickof")",
        "busy.yaml:7:7 limits.rules[0].per: expected one of token, address, all (found "user")",
        "busy.yaml:8:22 limits.rules[0].tokenBucket.rate: expected a rate like "2/s", "0.5/s", "40/h" or "90/5m", above 0 (found "0/s")",
        "busy.yaml:8:33 limits.rules[0].tokenBucket.capacity: expected a whole number from 1 (found 0)",
        "busy.yaml:9:21 limits.rules[0].slidingLog.limit: expected a whole number from 1 (found 1.5)",
        "busy.yaml:9:33 limits.rules[0].slidingLog.window: expected a duration above 0 (found 0)",
        "busy.yaml:10:7 limits.rules[1]: expected exactly one of tokenBucket, leakyBucket, fixedWindow, slidingLog, slidingCounter, concurrency (found a mapping)",
        "busy.yaml:11:7 limits.rules[2].name: expected a name that no other rule has (found "empty")",
        "busy.yaml:12:7 limits.rules[2].operations: expected at least one operation (found an empty list)",
        "busy.yaml:13:32 limits.rules[2].concurrency.window: unknown key; allowed: limit",
        "busy.yaml:14:7 limits.rules[2].block: expected a duration above 0 (found "0s")",
        "busy.yaml:15:18 limits.rules[2].refusal.status: expected one of 429, 503, 403, 529 (found 500)",
        "busy.yaml:15:31 limits.rules[2].refusal.retryAfter: expected one of seconds, date, none, fractional, early, unreadable (found "soon")",
      ]
    `)
  })

  test.each([
    ['  rules: 3', 'limits.rules'],
    ['  rules: [3]', 'limits.rules[0]'],
    ['  rules: [{ name: a, tokenBuckets: {} }]', 'unknown key'],
  ])('%s', (yaml, words) => {
    expect(told(yaml).join('\n')).toContain(words)
  })
})
