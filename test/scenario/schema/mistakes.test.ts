/** Wrong scenarios: every mistake at once, each with its place, what was found, what is allowed. */
import { expect, test } from 'vitest'
import type { PlanOptions } from '../../../src/scenario/schema/index.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { toldMistakes } from '../../support/mistakes.ts'

const right = { name: 'right', arrivals: { rate: '2/s', for: '5m' }, inputs: { topic: 'bees' } }

function told(scenario: unknown, options: Partial<PlanOptions> = {}): string[] {
  return toldMistakes(() => planScenario(scenario, { source: 'x.ts', ...options }))
}

test('a right scenario has none', () => {
  expect(told(right)).toEqual([])
})

test('all mistakes are told at once', () => {
  const wrong = {
    name: 'a name with blanks',
    arrivals: { rate: 'fast', fro: '5m', process: 'posson' },
    inputs: [],
    polling: { fixed: '0' },
    deadlin: '5m',
    thresholds: { 'kickoff.respnse.p95': '< 5s', 'execution.failed': '< 200%', a: 3 },
  }
  expect(told(wrong)).toEqual([
    'x.ts name: expected 1 to 60 letters, digits, "-", "_" or "." (found "a name with blanks")',
    'x.ts arrivals.rate: expected a rate like "2/s", "0.5/s", "40/h" or "90/5m", at most ' +
      '1000000/s (found "fast")',
    'x.ts arrivals.for: missing, expected a duration like "500ms", "2s", "1.5m" or "1h30m", of ' +
      '1 ms or more',
    'x.ts arrivals.process: expected one of "uniform", "poisson" (found "posson"); did you ' +
      'mean "poisson"?',
    'x.ts arrivals.fro: unknown key; valid keys: rate, for, warmUp, process; did you mean "for"?',
    'x.ts inputs: expected at least one entry (found [])',
    'x.ts polling.fixed: expected a duration like "500ms", "2s", "1.5m" or "1h30m", of 1 ms or ' +
      'more (found "0")',
    'x.ts thresholds.kickoff.respnse.p95: no metric of this name (crewload schema metrics ' +
      'lists them) (found "< 5s"); did you mean "kickoff.response.p95"?',
    'x.ts thresholds.execution.failed: expected a comparison (<, <=, >, >=) and a share like ' +
      '"1%" or 0.01 (found "< 200%")',
    'x.ts thresholds.a: expected a comparison like "< 500ms", { is: "< 500ms", abortEarly: ' +
      'true, judge: "value" }, or false (found 3)',
    expect.stringMatching(/^x\.ts deadlin: unknown key; .*did you mean "deadline"\?$/),
  ])
})

test.each([
  [undefined, 'x.ts: missing, expected an object with name, description, arrivals, inputs'],
  ['steady', 'x.ts: expected an object with name, description, arrivals, inputs'],
  [
    { ...right, arrivals: { rte: '1/s' } },
    'x.ts arrivals: expected an object with rate, ramp, steps, spike, clients, backlog or replay (found ' +
      '{"rte":"1/s"}); did you mean "rate"?',
  ],
  [{ ...right, arrivals: { clients: 2 } }, 'x.ts arrivals: expected `for`, `iterations` or both'],
  [
    { ...right, arrivals: { clients: 0, for: '1m' } },
    'x.ts arrivals.clients: expected a whole number from 1 to 100000 (found 0)',
  ],
  [{ ...right, arrivals: { rate: '0/s', for: '1m' } }, 'x.ts arrivals: every rate is 0'],
  [
    { ...right, arrivals: { rate: '1/s', for: '1m', warmUp: '1m' } },
    'x.ts arrivals.warmUp: expected less than the length of the arrivals, 60.0 s (found 60.0 s)',
  ],
  [
    { ...right, arrivals: { steps: [{ rate: '1/s', for: '1x' }] } },
    'x.ts arrivals.steps[0].for: expected a duration',
  ],
  [
    {
      ...right,
      arrivals: { spike: { base: '1/s', peak: '2/s', after: '50s', for: '20s' }, for: '1m' },
    },
    'x.ts arrivals: the spike ends after the whole',
  ],
  [
    { ...right, arrivals: { replay: 'old' } },
    'x.ts arrivals.replay: no arrivals could be read from this journal (found "old")',
  ],
  [
    { ...right, arrivals: { clients: 1, for: '1m', think: { uniform: { min: '2s', max: '1s' } } } },
    'x.ts arrivals.think: expected min <= max',
  ],
  [
    { ...right, polling: { exponential: { initial: '9s', max: '2s' } } },
    'x.ts polling.exponential: expected initial <= max',
  ],
  [
    { ...right, polling: {} },
    'x.ts polling: expected an object with fixed, exponential, schedule or progress (found {})',
  ],
  [
    { ...right, retry: 'nnone' },
    'x.ts retry: expected "none" or an object with status, kickoff, unknownKickoffs, backoff, ' +
      'budget (found "nnone")',
  ],
  [
    { ...right, circuit: 'of' },
    'x.ts circuit: expected "off" or an object with after, requests (found "of")',
  ],
  [{ ...right, circuit: { after: '0' } }, 'x.ts circuit.after: expected a duration like'],
  [{ ...right, budget: { time: 'long' } }, 'x.ts budget.time: expected a duration like'],
  [
    { ...right, confirm: '150%' },
    'x.ts confirm: expected a share from 0 to 1, like 0.05 or "5%" (found "150%")',
  ],
  [
    { ...right, connections: { maxBody: 'big' } },
    'x.ts connections.maxBody: expected a size of at least one byte',
  ],
  [{ ...right, deadline: '1000h' }, 'x.ts deadline: expected at most 720 h 00 min (found "1000h")'],
  [
    { ...right, inputs: 'bees' },
    'x.ts inputs: expected an object, a list of objects, { list, order }',
  ],
  [
    { ...right, inputs: { rows: 'topics.xls' } },
    'x.ts inputs: expected `rows` to name a .csv or .json file',
  ],
  [
    { ...right, inputs: { rows: 'topics.csv' } },
    'x.ts inputs.rows: no rows could be read from this file (found "topics.csv")',
  ],
  [
    { ...right, inputs: { list: [{}], order: 'any' } },
    'x.ts inputs.order: expected "in-order", "random" or "weighted" (found "any")',
  ],
  [
    { ...right, inputs: [{ inputs: {}, weight: -1 }] },
    'x.ts inputs[0].weight: expected a number over 0 (found -1)',
  ],
  [
    { ...right, checks: { long: true } },
    'x.ts checks.long: expected a function that returns true or false (found true)',
  ],
  [
    { ...right, checks: { long: () => true }, thresholds: { 'checks.lng': '> 1%' } },
    'x.ts thresholds.checks.lng: no check of this name; did you mean "checks.long"?',
  ],
  [
    { ...right, thresholds: { 'checks.long': '> 1%' } },
    'x.ts thresholds.checks.long: the scenario has no checks',
  ],
])('%j', (scenario, start) => {
  const mistakes = told(scenario)
  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]).toSatisfy((text: string) => text.startsWith(start))
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
