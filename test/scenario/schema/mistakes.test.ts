/** Wrong scenarios: every mistake at once, each with its place, what was found, what is allowed. */
import { expect, test } from 'vitest'
import type { PlanOptions } from '../../../src/scenario/schema/index.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { pinned, toldMistakes } from '../../support/mistakes.ts'

const right = { name: 'right', arrivals: { rate: '2/s', for: '5m' }, inputs: { topic: 'bees' } }

function told(scenario: unknown, options: Partial<PlanOptions> = {}): string[] {
  return toldMistakes(() => planScenario(scenario, { source: 'x.ts', ...options }))
}

test('a right scenario has none', () => {
  expect(told(right)).toEqual([])
})

/** Each in place of what a right scenario says. */
const WRONG: readonly object[] = [
  {
    name: 'a name with blanks',
    arrivals: { rate: 'fast', fro: '5m', process: 'posson' },
    inputs: [],
    polling: { fixed: '0' },
    deadlin: '5m',
    thresholds: { 'kickoff.respnse.p95': '< 5s', 'execution.failed': '< 200%', a: 3 },
  },
  { arrivals: { rte: '1/s' } },
  { arrivals: { clients: 2 } },
  { arrivals: { clients: 0, for: '1m' } },
  { arrivals: { rate: '0/s', for: '1m' } },
  { arrivals: { rate: '1/s', for: '1m', warmUp: '1m' } },
  { arrivals: { steps: [{ rate: '1/s', for: '1x' }] } },
  { arrivals: { spike: { base: '1/s', peak: '2/s', after: '50s', for: '20s' }, for: '1m' } },
  { arrivals: { replay: 'old' } },
  { arrivals: { clients: 1, for: '1m', think: { uniform: { min: '2s', max: '1s' } } } },
  { polling: { exponential: { initial: '9s', max: '2s' } } },
  { polling: {} },
  { retry: 'nnone' },
  { circuit: 'of' },
  { circuit: { after: '0' } },
  { budget: { time: 'long' } },
  { confirm: '150%' },
  { connections: { maxBody: 'big' } },
  { deadline: '1000h' },
  { inputs: 'bees' },
  { inputs: { rows: 'topics.xls' } },
  { inputs: { rows: 'topics.csv' } },
  { inputs: { list: [{}], order: 'any' } },
  { inputs: [{ inputs: {}, weight: -1 }] },
  { checks: { long: true } },
  { checks: { long: () => true }, thresholds: { 'checks.lng': '> 1%' } },
  { thresholds: { 'checks.long': '> 1%' } },
]

test('all mistakes are told at once, each with its place', async () => {
  const scenarios = [undefined, 'steady', ...WRONG.map((each) => Object.assign({}, right, each))]
  const texts = pinned(scenarios, (scenario) => told(scenario))
  await expect(texts).toMatchFileSnapshot('../../golden/mistakes/scenario.txt')
})

test.each([{ Authorization: 'Bearer hush' }, { 'a b': 'hush' }, { n: ['hush'] }, 'hush'])(
  'the value of a header is not repeated, since it may be a secret: %j',
  (headers) => {
    const mistakes = told({ ...right, headers })
    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]).not.toContain('hush')
  },
)

test('a long value is shortened', () => {
  const [mistake = ''] = told({ ...right, deadline: 'x'.repeat(10_000) })
  expect(mistake.length).toBeLessThan(300)
})

test('a speed that is no speed is a mistake of the flag', () => {
  expect(told(right, { speed: 0 })).toEqual([
    '--speed: expected a number over 0, at most 1000000 (found 0)',
  ])
})
