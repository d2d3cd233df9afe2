/** The budgets of a study of limits are hard, whatever the inference asks for. */
import { expect, test } from 'vitest'
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import type { Answer } from '../../../../src/crew/answer.ts'
import { retryAfterMicros } from '../../../../src/crew/retry-after.ts'
import { SendingBudget } from '../../../../src/engine/sending-budget.ts'
import { waysOf } from '../../../../src/run/target/ways.ts'
import { Prober } from '../../../../src/study/limits/conduct/prober.ts'

const TIMING = { releasedMicros: 0, sentMicros: 0, doneMicros: 1_000, newConnection: false }
const ANSWER: Answer = { kind: 'answer', status: 200, headers: {}, body: '{}', timing: TIMING }

const ANCHOR_UNIX_MS = Date.UTC(2026, 10, 21, 8, 15)

function proberWith(
  budget: { requests: number; kickoffs: number },
  ...answers: readonly Answer[]
): {
  prober: Prober
  sent: string[]
} {
  const sent: string[] = []
  const prober = new Prober({
    client: {
      budget: new SendingBudget(budget),
      target: new URL('http://crew.test'),
      crew: async () => ({ kind: 'deployment', target: 'http://crew.test' }),
      tokens: 1,
      anchorUnixMs: ANCHOR_UNIX_MS,
      nowMs: () => 0,
      sleepUntil: async () => {},
      ask: async ({ operation }) => {
        sent.push(operation)
        return answers[Math.min(sent.length, answers.length) - 1] ?? ANSWER
      },
      conduct: async (work) => work,
      died: null,
      close: async () => {},
    },
    inputs: {},
    ways: waysOf({}),
    correlation: 'test',
    signal: new AbortController().signal,
    endMs: Infinity,
    known: [],
    keep: () => {},
  })
  return { prober, sent }
}

test('no more kickoffs are sent than theirs, and the rest goes on', async () => {
  const { prober, sent } = proberWith({ requests: 20, kickoffs: 2 })
  expect(await prober.burst('kickoff', 4).all).toHaveLength(2)
  expect(await prober.burst('inputs', 3).all).toHaveLength(3)
  expect(sent.filter((operation) => operation === 'kickoff')).toHaveLength(2)
  expect(prober.client.budget.spent).toEqual({ requests: 5, kickoffs: 2 })
})

test('what the host sends again with a renewed token counts as well', async () => {
  const { prober, sent } = proberWith({ requests: 3, kickoffs: 0 })
  prober.client.budget.spend('request')
  expect(await prober.burst('inputs', 3).all).toHaveLength(2)
  expect(sent).toHaveLength(2)
})

test.each([
  ['by the clock of this machine where the answer has none', {}, 30_000],
  ['by its own clock where it has one', { date: 'Sat, 21 Nov 2026 08:15:20 GMT' }, 10_000],
])('a date in Retry-After counts %s', async (_, own, waitMs) => {
  const headers = { 'retry-after': 'Sat, 21 Nov 2026 08:15:30 GMT', ...own }
  const answer: Answer = { ...ANSWER, status: 429, headers }
  const { prober } = proberWith({ requests: 1, kickoffs: 0 }, answer)
  const observed = await prober.send('status')
  expect(retryAfterMicros(observed!.headers)).toBe(waitMs * MICROS_PER_MS)
})

test.each([
  ['with another token', { token: 1 }],
  ['about another execution', { isOfAnother: true }],
])('what is sent %s is no evidence of the first one', async (_, asking) => {
  const { prober } = proberWith({ requests: 9, kickoffs: 0 })
  await prober.send('status')
  await prober.send('status', asking)
  expect(prober.evidence('status')).toHaveLength(1)
  expect(prober.sent('status')).toHaveLength(2)
})

const FORBIDDEN: Answer = { ...ANSWER, status: 403 }

test.each([
  ['of a token that was let in before', [ANSWER, FORBIDDEN], [0, 0], 'refused'],
  ['of one that was not, though another was', [ANSWER, FORBIDDEN], [0, 1], 'failed'],
  [
    'that says when to come back',
    [ANSWER, { ...FORBIDDEN, headers: { 'retry-after': '3' } }],
    [0, 1],
    'refused',
  ],
])('a 403 %s', async (_, answers, tokens, answer) => {
  const { prober } = proberWith({ requests: 9, kickoffs: 0 }, ...answers)
  for (const token of tokens) await prober.send('status', { token })
  expect(prober.sent('status').at(-1)!.answer).toBe(answer)
})
