/** A plan that travels as JSON is the same plan at its destination. */
import { expect, test } from 'vitest'
import {
  describePlan,
  planHash,
  needsScenario,
  planFrom,
  portablePlan,
} from '../../src/scenario/plan-data.ts'
import type { PortablePlan } from '../../src/scenario/plan-data.ts'
import type { PlanOptions } from '../../src/scenario/schema/index.ts'
import { planScenario } from '../../src/scenario/schema/index.ts'

const arrivals = { rate: '2/s', for: '5m' }

function planOf(scenario: unknown, options: Partial<PlanOptions> = {}) {
  return planScenario(scenario, { source: 'test', seed: 7, ...options })
}

function travelled(scenario: unknown, options: Partial<PlanOptions> = {}) {
  const plan = planOf(scenario, options)
  const portable = JSON.parse(JSON.stringify(portablePlan(plan))) as PortablePlan
  return { plan, portable, again: planFrom(portable, scenario) }
}

const functions = {
  name: 'functions',
  arrivals,
  inputs: ({ index, random }: { index: number; random: { pick: (of: string[]) => string } }) => ({
    topic: `${index} ${random.pick(['a', 'b', 'c'])}`,
  }),
  tags: ({ inputs }: { inputs: { topic: string } }) => ({ first: inputs.topic.slice(-1) }),
  checks: { short: ({ output }: { output: string }) => output.length < 3, odd: () => 'yes' },
}

test.each([
  ['functions', functions, {}],
  ['an object', { name: 'o', arrivals, inputs: { topic: 'bees' }, tags: { a: 'b' } }, {}],
  [
    'a weighted list',
    {
      name: 'w',
      arrivals,
      inputs: {
        list: [
          { inputs: { topic: 'a' }, weight: 3, tags: { a: 'b' } },
          { inputs: { topic: 'b' }, weight: 1 },
        ],
        order: 'weighted',
      },
    },
    {},
  ],
  [
    'rows',
    { name: 'r', arrivals, inputs: { rows: 'x.csv', order: 'random' } },
    { files: { rows: [{ a: 1 }, { a: 2 }, { a: 3 }] } },
  ],
])('with %s: the same inputs, checks and hash', (_name, scenario, options) => {
  const { plan, again } = travelled(scenario, options)
  for (let index = 0; index < 50; index++) expect(again.inputs(index)).toEqual(plan.inputs(index))
  expect(again.checks.map(({ name }) => name)).toEqual(plan.checks.map(({ name }) => name))
  expect(planHash(describePlan(again))).toBe(planHash(describePlan(plan)))
})

test('checks judge as they did, the wrong ones too', () => {
  const { again } = travelled(functions)
  const completed = { index: 0, inputs: {}, output: 'ab', tasks: [], executionTimeSeconds: null }
  const [short, odd] = again.checks
  expect(short?.passes(completed)).toBe(true)
  expect(() => odd?.passes(completed)).toThrow('a check must return true or false, not string')
})

test('inputs that were overridden travel as data, and need no function', () => {
  const { portable, again } = travelled(
    { name: 'o', arrivals, inputs: functions.inputs },
    { set: { inputs: '{"topic":"wasps"}' } },
  )
  expect(needsScenario(portable)).toBe(false)
  expect(again.inputs(3).inputs).toEqual({ topic: 'wasps' })
  expect(planFrom(portable, null).inputs(3).inputs).toEqual({ topic: 'wasps' })
})

test('a scenario without the function that its plan needs is a bug, told by its path', () => {
  const { portable } = travelled(functions)
  expect(needsScenario(portable)).toBe(true)
  expect(() => planFrom(portable, { inputs: functions.inputs, tags: {} })).toThrow('checks.short')
})
