/** Thresholds: bounds in the metric's own unit, and what a time-lapse makes of them. */
import { expect, test } from 'vitest'
import { atSpeed, parseThreshold } from '../../../src/scenario/thresholds/thresholds.ts'

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

test('the text is kept as it was written, with one space', () => {
  expect(parseThreshold('execution.p95', '  <5m ', { abortEarly: true })).toMatchObject({
    text: '< 5m',
    abortEarly: true,
  })
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
  const threshold = parseThreshold('execution.p95', '< 5m')
  if ('problem' in threshold) throw new Error(threshold.problem)
  expect(atSpeed(threshold, 60)).toMatchObject({
    bound: 5_000_000,
    text: '< 5.00 s',
  })
  expect(atSpeed(threshold, 1)).toBe(threshold)
})

test('a time-lapse multiplies rates', () => {
  const threshold = parseThreshold('throughput.completed', '>= 6/m')
  if ('problem' in threshold) throw new Error(threshold.problem)
  expect(atSpeed(threshold, 60)).toMatchObject({ bound: 6, text: '>= 6.00/s' })
})

test.each([
  ['kickoff.response.p95', '< 500ms'],
  ['lateness.p99', '< 5ms'],
  ['execution.failed', '< 1%'],
  ['contract.violations', '<= 0'],
])('a time-lapse leaves %s %s as it is', (metric, text) => {
  const threshold = parseThreshold(metric, text)
  if ('problem' in threshold) throw new Error(threshold.problem)
  expect(atSpeed(threshold, 60)).toBe(threshold)
})
