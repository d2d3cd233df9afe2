import { expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import type { LimitsOptions } from '../../../src/study/limits/plan/options.ts'
import { planLimits } from '../../../src/study/limits/plan/plan.ts'

function mistakesOf(options: LimitsOptions): string[] {
  try {
    planLimits(options)
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.mistakes.map(({ source, problem }) => `${source} ${problem}`)
  }
}

const TARGET = 'http://127.0.0.1:1'

test('a profile is probed in virtual time, with the one kickoff that status needs', () => {
  expect(planLimits({ profile: 'default' })).toMatchObject({
    engine: 'virtual',
    operations: ['status', 'inputs'],
    budget: { requests: 600, kickoffs: 1 },
  })
})

test('at a target no kickoff is sent unasked', () => {
  expect(mistakesOf({ target: TARGET })).toEqual([
    '--kickoffs status needs an execution: --kickoff-id ID, or --kickoffs 1 to start one',
  ])
  expect(planLimits({ target: TARGET, kickoffId: 'k' }).budget.kickoffs).toBe(0)
  expect(planLimits({ target: TARGET, operations: ['inputs'] }).budget.kickoffs).toBe(0)
})

test('a budget of several kickoffs has kickoffs probed', () => {
  const { operations } = planLimits({ target: TARGET, maxKickoffs: 40 })
  expect(operations).toEqual(['status', 'inputs', 'kickoff'])
})

test('every mistake is told at once', () => {
  expect(
    mistakesOf({
      target: TARGET,
      operations: ['inputs'],
      maxRequests: 5,
      kickoffId: 'k',
      inputs: { topic: 'x' },
    }),
  ).toEqual([
    '--max-requests expected at least 20: fewer requests settle nothing',
    '--kickoff-id applies to status, which is not among the operations',
    '--inputs no kickoff is sent that needs them',
  ])
})
