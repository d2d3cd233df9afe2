/** The published JSON Schema tells right scenarios from wrong ones. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { scenarioMixJsonSchema } from '../../../src/scenario/schema/mix.ts'
import { scenarioJsonSchema } from '../../../src/scenario/schema/scenario.ts'

const valid = new Ajv2020({ strict: false }).compile(scenarioJsonSchema())

const right = { name: 'right', arrivals: { rate: '2/s', for: '5m' }, inputs: { topic: 'bees' } }

test.each([
  right,
  { ...right, arrivals: { clients: 3, iterations: 9, think: { exponential: { mean: '4s' } } } },
  { ...right, polling: { fixed: '2s' }, thresholds: { 'execution.p95': { is: '< 5m' } } },
  { name: 'right', arrivals: { replay: 'a.csv', inputs: { topic: 'q' } } },
])('right: %j', (scenario) => {
  valid(scenario)
  expect(valid.errors).toBeNull()
})

test.each([
  { name: 'right', inputs: {} },
  { name: 'right', arrivals: right.arrivals },
  { name: 'right', arrivals: { replay: 'a.csv' } },
  { ...right, arrivals: { rte: '2/s', for: '5m' } },
  { ...right, polling: { fixed: 2 } },
  { ...right, poling: { fixed: '2s' } },
  { ...right, thresholds: { 'execution.p95': 5 } },
])('wrong: %j', (scenario) => {
  expect(valid(scenario)).toBe(false)
})

const validMix = new Ajv2020({ strict: false }).compile(scenarioMixJsonSchema())
const parts = { a: right, b: 'smoke', c: { scenario: right, target: 'http://a.example' } }

test.each([
  { name: 'right', parts },
  { name: 'right', parts: { a: 'smoke', b: { scenario: 'smoke', tokenFrom: 'TOKEN' } }, seed: 7 },
])('a right mix: %j', (mix) => {
  validMix(mix)
  expect(validMix.errors).toBeNull()
})

test.each([
  { name: 'right' },
  { name: 'right', parts: { a: 'smoke' } },
  { name: 'right', parts: { ...parts, 'd e': 'smoke' } },
  { name: 'right', parts: { ...parts, d: { ...right, poling: { fixed: '2s' } } } },
  { name: 'right', parts: { ...parts, d: { target: 'http://a.example' } } },
  { name: 'right', parts, budgets: {} },
])('a wrong mix: %j', (mix) => {
  expect(validMix(mix)).toBe(false)
})
