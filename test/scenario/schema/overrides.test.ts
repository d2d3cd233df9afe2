/** `--set`: values put into a copy of the author's object. */
import { expect, test } from 'vitest'
import { describePlan } from '../../../src/scenario/plan-data.ts'
import { namedFiles, planScenario } from '../../../src/scenario/schema/index.ts'

const scenario = {
  name: 'set',
  arrivals: { steps: [{ rate: '1/s', for: '1m' }] },
  inputs: () => ({}),
}

test.each([
  [{ name: 'other' }, { name: 'other' }],
  [{ 'arrivals.steps[0].rate': '3/s' }, { arrivals: { steps: [{ rate: '3/s', for: '1m' }] } }],
  [
    {
      'arrivals.steps': '[{"rate":"1/s","for":"1m"},{"rate":"2/s","for":"1m"}]',
      'arrivals.steps[1].rate': '3/s',
    },
    {
      arrivals: {
        steps: [
          { rate: '1/s', for: '1m' },
          { rate: '3/s', for: '1m' },
        ],
      },
    },
  ],
  [{ 'arrivals.steps.0.for': '2m' }, { arrivals: { steps: [{ rate: '1/s', for: '2m' }] } }],
  [{ 'retry.status': '2' }, { retry: { status: 2 } }],
  [{ honourRetryAfter: 'false' }, { honourRetryAfter: false }],
  [{ arrivals: '{"rate":"1/s","for":"1s"}' }, { arrivals: { rate: '1/s', for: '1s' } }],
  [{ 'thresholds.execution.p95': '< 5m' }, { thresholds: { 'execution.p95': '< 5m' } }],
])('%j', (set: Record<string, string>, expected) => {
  const planned = planScenario(scenario, { source: 'x.ts', set })
  const written = planScenario({ ...scenario, ...expected }, { source: 'x.ts' })
  expect(describePlan(planned)).toEqual(describePlan(written))
  expect(planned).not.toEqual(planScenario(scenario, { source: 'x.ts' }))
})

test('the original stays as it is', () => {
  const before = structuredClone(scenario.arrivals)
  const set = { 'arrivals.steps[0].rate': '9/s', 'arrivals.warmUp': '10s' }
  expect(planScenario(scenario, { source: 'x.ts', set }).warmUpMicros).toBe(10_000_000)
  expect(scenario.arrivals).toEqual(before)
})

test('functions are kept', () => {
  const own = { ...scenario, inputs: () => ({ topic: 'bees' }) }
  const { name, inputs } = planScenario(own, { source: 'x.ts', set: { name: 'other' } })
  expect(name).toBe('other')
  expect(inputs(0).inputs).toEqual({ topic: 'bees' })
})

test.each([
  [{ 'inputs.topic': 'bees' }, '--set inputs.topic: "topic" is inside a function'],
  [
    { 'arrivals.steps[1].rate': '1/s' },
    '--set arrivals.steps[1].rate: expected an index from 0 to 0, found "1"',
  ],
])('a path that leads nowhere is a mistake: %j', (set: Record<string, string>, message) => {
  expect(() => planScenario(scenario, { source: 'x.ts', set })).toThrow(message)
})

test('an unknown key is told with the nearest, as if it stood in the file', () => {
  const set = { 'arrivals.stps': '1', deadlin: '5m' }
  expect(() => planScenario(scenario, { source: 'x.ts', set })).toThrow(
    /x\.ts arrivals\.stps: unknown key; .*"steps"\?\n.*x\.ts deadlin: unknown key; .*"deadline"\?/s,
  )
})

test('no path reaches the prototype', () => {
  const set = { '__proto__.polluted': 'true' }
  expect(() => planScenario(scenario, { source: 'x.ts', set })).toThrow('__proto__: unknown key')
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('files are looked for after the overrides', () => {
  const set = { inputs: '{"rows":"a.csv"}', arrivals: '{"replay":"run"}' }
  expect(namedFiles(scenario, set)).toEqual({
    rows: 'a.csv',
    replay: { path: 'run', recording: null },
  })
  expect(namedFiles(scenario)).toEqual({ rows: null, replay: null })
})
