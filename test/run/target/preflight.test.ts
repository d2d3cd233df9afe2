/** What a user is told whose inputs are another crew's. */
import { SendingBudget, NO_LIMITS } from '../../../src/engine/sending-budget.ts'
import { expect, test } from 'vitest'
import type { RunOptions } from '../../../src/run/options.ts'
import { run } from '../../../src/run/run.ts'
import type { Answer } from '../../../src/crew/answer.ts'
import { failureWords, preflight } from '../../../src/run/target/preflight.ts'
import { testPlan } from '../../support/plan.ts'

const ELSEWHERE: RunOptions = { engine: 'virtual', profile: 'travel-planner', out: false }

test('inputs to try are offered, and the scenario runs with them', async () => {
  const error = await run('smoke', ELSEWHERE).catch((thrown: unknown) => thrown)
  const { message } = error as Error
  expect(message).toMatch(/^smoke inputs: the crew also expects "destination", "budget"/)
  const inputs = /--set 'inputs=([^']+)'/.exec(message)?.[1]
  expect(inputs).toBeDefined()
  const { document } = await run('smoke', { ...ELSEWHERE, set: { inputs: inputs! } })
  expect(document.outcomes.completed).toBe(5)
})

test('no inputs are offered that the tags of the scenario cannot be made of', async () => {
  const tagged = {
    name: 'tagged',
    arrivals: { clients: 1, iterations: 1 },
    inputs: { topic: 'bees', audience: 'children' },
    tags: ({ inputs }: { inputs: Readonly<Record<string, unknown>> }) => {
      const audience = { children: 'young', experts: 'old' }[String(inputs['audience'])]
      if (audience === undefined) throw new Error('nobody')
      return { audience }
    },
  }
  await expect(run(tagged, ELSEWHERE)).rejects.toThrow(
    /422; add them to the scenario, whose tags are made from its current inputs \(found topic/,
  )
})

test('a shortage of this machine is not said to be a fault of the target', () => {
  const detail = 'connect EMFILE 127.0.0.1:80'
  const wordsOf = (isLocal?: true): string =>
    failureWords({ class: 'other', detail, ...(isLocal === undefined ? {} : { isLocal }) })
  expect(wordsOf(true)).toContain('this machine ran out of what a connection needs')
  expect(wordsOf()).not.toContain('this machine')
})

test('a token that replaced the first one is not shown either', async () => {
  const answer: Answer = {
    kind: 'answer',
    status: 302,
    headers: { location: 'http://127.0.0.1:1/?issued-token-2' },
    body: '',
    timing: { releasedMicros: 0, sentMicros: 0, doneMicros: 1, newConnection: true },
  }
  const host = {
    budget: new SendingBudget(NO_LIMITS),
    send: (_: unknown, __: unknown, done: (answer: Answer) => void) => {
      done(answer)
      return () => true
    },
  }
  const place = {
    target: new URL('http://127.0.0.1:1'),
    tokens: ['issued-token-1'],
    tokenSource: { secrets: ['issued-token-2', 'issued-token-1'] },
  }
  const asked = preflight(host, testPlan(), place, 'run', undefined)
  await expect(asked).rejects.toThrow(
    /found GET \/inputs answered HTTP 302 to http:\/\/127.0.0.1:1\/\?\*\*\*\)$/,
  )
})
