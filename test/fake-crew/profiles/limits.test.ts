/**
 * Limits are read with every default filled in; a wrong one names each fault and where it stands.
 */
import { describe, expect, test } from 'vitest'
import { parseProfile } from '../../../fake-crew/profiles.ts'
import { pinned, toldMistakes } from '../../support/mistakes.ts'

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

const WRONG = [
  `  headers: draft-9
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
`,
  '  rules: 3',
  '  rules: [3]',
  '  rules: [{ name: a, tokenBuckets: {} }]',
]

test('every fault is told at once, with its place and what is allowed', async () => {
  await expect(pinned(WRONG, told)).toMatchFileSnapshot('../../golden/mistakes/limits.txt')
})
