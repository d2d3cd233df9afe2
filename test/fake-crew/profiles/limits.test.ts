/**
 * Limits are read with every default filled in; a wrong one names each fault and where it stands.
 */
import { expect, test } from 'vitest'
import { parseProfileText } from '../../../fake-crew/profiles.ts'
import { pinned, pinnedValues, toldMistakes } from '../../support/mistakes.ts'

const TASK = 'tasks: [{ id: a, agent: A, duration: 1s }]'

function limitsOf(yaml: string) {
  return parseProfileText(`${TASK}\nlimits:\n${yaml}`, 'busy.yaml').limits
}

function told(yaml: string): string[] {
  return toldMistakes(() => limitsOf(yaml))
}

const RULES = [
  'slidingLog: { limit: 5, window: 1m }',
  'tokenBucket: { rate: 40/h, capacity: 3 }',
  'leakyBucket: { rate: 0.5/s }',
  'leakyBucket: { rate: 1/s, burst: 4, excess: delayed }',
  'fixedWindow: { limit: 7, window: 10s }',
  'fixedWindow: { limit: 7, window: 10s, from: first hit }',
  'slidingCounter: { limit: 7, window: 10s }',
  'concurrency: { limit: 2 }',
  'operations: [kickoff, status], quota: each, per: address, concurrency: { limit: 1 }, ' +
    'rejected: counted, block: 30s, refusal: { status: 529, retryAfter: date }',
]

test('a limit is read with every default: of a token, all operations, refused with 429', async () => {
  const read = RULES.map((rule) => [rule, limitsOf(`  rules: [{ name: a, ${rule} }]`)] as const)
  await expect(pinnedValues(read)).toMatchFileSnapshot('../../golden/fake-crew/limits.txt')
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
