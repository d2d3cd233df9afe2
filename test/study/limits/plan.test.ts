import { describe, expect, test } from 'vitest'
import { conducting } from '../../../src/study/limits/conduct/conduct.ts'
import { planLimits } from '../../../src/study/limits/plan.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { profileWith } from './profiles.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

const TARGET = 'http://127.0.0.1:1'

test('a profile is probed in virtual time, with the one kickoff that status needs', () => {
  expect(planLimits({ run: { profile: 'default' } })).toMatchObject({
    engine: 'virtual',
    operations: ['status', 'inputs'],
    budget: { requests: 1_200, kickoffs: 1 },
    maxDurationMs: null,
  })
})

test('at a target no kickoff is sent unasked', () => {
  expect(planLimits({ kickoffId: 'k', run: { target: TARGET } }).budget.kickoffs).toBe(0)
  expect(planLimits({ operations: ['inputs'], run: { target: TARGET } }).budget.kickoffs).toBe(0)
})

test('a budget of several kickoffs has kickoffs probed', () => {
  const { operations } = planLimits({ maxKickoffs: 40, run: { target: TARGET } })
  expect(operations).toEqual(['status', 'inputs', 'kickoff'])
})

describe('what each step costs is told before anything is sent', () => {
  test('in order, each within the budget', () => {
    const { steps } = planLimits({ maxKickoffs: 40, run: { target: TARGET, tokens: ['a', 'b'] } })
    expect(steps.map(({ step, requests, kickoffs }) => [step, requests, kickoffs])).toEqual([
      ['the inputs, with each token', 2, 0],
      ['an execution to ask about', 1, 1],
      ['the status limit', 1_058, 0],
      ['its safe rate, kept', 661, 0],
      ['who shares it', 436, 0],
      ['the inputs limit', 1_157, 0],
      ['its safe rate, kept', 1_058, 0],
      ['who shares it', 223, 0],
      ['the kickoff limit', 39, 39],
      ['who shares it', 39, 39],
    ])
    expect(steps.every(({ about }) => about !== '')).toBe(true)
  })

  test('without what the options leave out', () => {
    const asked = { operations: ['inputs'], maxRequests: 50, sustainMs: 0 } as const
    const { steps } = planLimits({ ...asked, run: { target: TARGET } })
    expect(steps.map(({ step, requests }) => [step, requests])).toEqual([
      ['the inputs, with each token', 1],
      ['the inputs limit', 49],
      ['who shares it', 49],
    ])
  })

  const LIMITS = [
    [150, true],
    [260, false],
  ] as const

  test.each(LIMITS.slice(0, areExperimentsRun ? 2 : 1))(
    'a limit of %i takes no more than it says, and is used up again: %j',
    async (limit, again) => {
      await using folder = await temporaryFolder()
      const rule = `{ name: polls, operations: [status], slidingLog: { limit: ${limit}, window: 10s } }`
      const profile = await profileWith(folder.path, rule)
      const { document } = await conductStudy(conducting, {
        out: false,
        maxRequests: 1_500,
        run: { profile },
      })
      const { steps } = document.plan
      const of = (first: number, last: number): number =>
        steps.slice(first, last).reduce((sum, { requests }) => sum + requests, 0)
      const { status, inputs } = document.operations
      expect(status!.kind).toBe('sliding-log')
      expect(status!.requests).toBeLessThanOrEqual(steps[2]!.requests + steps[4]!.requests)
      expect(inputs!.requests).toBeLessThanOrEqual(of(0, 1) + of(5, 8))
      expect(document.kickoffs).toBe(steps[1]!.kickoffs)
      expect(status!.scope.sharedWith !== null).toBe(again)
    },
  )
})
