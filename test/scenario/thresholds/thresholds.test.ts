/** Thresholds: bounds in the metric's own unit, and what a time-lapse makes of them. */
import { expect, test } from 'vitest'
import { shownBound, typedBound } from '../../../src/scenario/thresholds/bounds.ts'
import { atSpeed, parseThreshold } from '../../../src/scenario/thresholds/thresholds.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { testBound } from '../../support/plan.ts'

function read(metric: string, text: string): Threshold {
  const threshold = parseThreshold(metric, text)
  if ('problem' in threshold) throw new Error(threshold.problem)
  return threshold
}

test.each([
  ['kickoff.response.p95', '< 500ms', '<', 500_000],
  ['execution.p95', '<= 5m', '<=', 300_000_000],
  ['execution.failed', '< 1%', '<', 0.01],
  ['outcome.completed', '>=99.5%', '>=', 0.995],
  ['outcome.completed', '> 0.9', '>', 0.9],
  ['polls.perExecution', '< 12.5', '<', 12.5],
  ['contract.violations', '<= 0', '<=', 0],
  ['throughput.accepted', '>= 2/s', '>=', 2],
  ['throughput.completed', '>= 360/h', '>=', 0.1],
])('%s %s', (metric, text, operator, bound) => {
  expect(parseThreshold(metric, text)).toMatchObject({ metric, operator, bound, abortEarly: false })
})

test.each([
  ['execution.p95', '  <5m ', '< 5m', '< 5 min'],
  ['execution.p95', '< 1h30m', '< 1h30m', '< 1 h 30 min'],
  ['execution.p95', '<= 1.50s', '<= 1.50s', '<= 1.50 s'],
  ['outcome.unserved', '< 5 %', '< 5%', '< 5 %'],
  ['outcome.unserved', '< 0.05', '< 0.05', '< 0.05'],
  ['contract.violations', '<= 0', '<= 0', '<= 0'],
  ['throughput.completed', '>= 6 / m', '>= 6/m', '>= 6/min'],
  ['throughput.completed', '>= 90/5m', '>= 90/5m', '>= 90/5 min'],
])('the bound %s %s keeps how it was written', (metric, text, typed, shown) => {
  const threshold = read(metric, text)
  expect([typedBound(threshold), shownBound(threshold)]).toEqual([typed, shown])
})

test.each([
  ['execution.p95', '5m'],
  ['execution.p95', '< 5'],
  ['execution.p95', '= 5m'],
  ['execution.p95', '<'],
  ['execution.failed', '< 101%'],
  ['execution.failed', '< -1%'],
  ['polls.wasted', '< many'],
  ['throughput.accepted', '> 2'],
])('%s %j is a mistake that says what is allowed', (metric, text) => {
  expect(parseThreshold(metric, text)).toEqual({
    problem: expect.stringMatching(/^expected a comparison \(<, <=, >, >=\) and a/),
  })
})

test('an unknown metric comes with the nearest one', () => {
  expect(parseThreshold('execution.fialed', '< 1%')).toMatchObject({ nearest: 'execution.failed' })
  expect(parseThreshold('exec.p95', '< 1s')).toMatchObject({ nearest: 'execution.p95' })
  expect(parseThreshold('kick.resp.p95', '< 1s')).toMatchObject({ nearest: 'kickoff.response.p95' })
})

test('a time-lapse divides bounds on executions and says so', () => {
  const threshold = read('execution.p95', '< 5m')
  expect(atSpeed(threshold, 60)).toEqual({ ...threshold, bound: 5_000_000, ...testBound('< 5s') })
  expect(shownBound(atSpeed(threshold, 200))).toBe('< 1.50 s')
  expect(shownBound(atSpeed(read('execution.p95', '< 9d'), 60))).toBe('< 3 h 36 min')
  expect(atSpeed(threshold, 1)).toBe(threshold)
})

test('a time-lapse multiplies rates', () => {
  const threshold = read('throughput.completed', '>= 6/m')
  expect(atSpeed(threshold, 60)).toEqual({ ...threshold, bound: 6, ...testBound('>= 6/s') })
})

test.each([
  ['kickoff.response.p95', '< 500ms'],
  ['lateness.p99', '< 5ms'],
  ['execution.failed', '< 1%'],
  ['contract.violations', '<= 0'],
])('a time-lapse leaves %s %s as it is', (metric, text) => {
  const threshold = read(metric, text)
  expect(atSpeed(threshold, 60)).toBe(threshold)
})
