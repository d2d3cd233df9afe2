import { expect, test } from 'vitest'
import type { Forecast } from '../../../src/run/forecast.ts'
import { questionOf, renderForecast } from '../../../src/run/plan/text.ts'
import { testBound } from '../../support/plan.ts'

const FACTS: Forecast = {
  scenario: 'steady',
  place: { kind: 'deployment', target: 'https://crew.example.com' },
  engine: 'node',
  seed: 42,
  speed: 1,
  kickoffs: 600,
  requests: 7_800,
  mostRequests: 36_000,
  peakKickoffsPerSecond: 2,
  isPeakMean: false,
  durationMs: 300_000,
  mostDurationMs: 1_200_000,
  deadlineMs: 900_000,
  cost: 150,
  budget: { kickoffs: 600, requests: null, maxCost: 200, wallMicros: 3_600_000_000 },
  thresholds: [
    {
      metric: 'execution.failed',
      ...testBound('< 1%'),
      source: 'scenario',
      needed: 368,
      chance: 0.2,
      doubt: { code: 'unlikely', chance: 0.2, planned: 600 },
    },
    {
      metric: 'target.alive',
      ...testBound('>= 1'),
      source: 'default',
      needed: null,
      chance: null,
      doubt: null,
    },
  ],
}

test('the plan says what the run would do and cost', () => {
  expect(renderForecast(FACTS)).toBe(
    [
      'Plan of "steady"',
      '  target      https://crew.example.com',
      '  kickoffs    600, at most 2/s',
      '  requests    about 7,800 (at most 36,000 without retries)',
      '  duration    300 s of arrivals, then up to 15 min for the last executions',
      '  cost        150',
      '  budget      at most 600 kickoffs, 1 h 00 min, cost 200',
      '  engine      node, seed 42',
      '  thresholds  execution.failed < 1%: at least 368 that are good and independent;',
      '              met by 20.0 % of runs at half the bound',
      '              target.alive >= 1 (default)',
      '  ! execution.failed < 1% is unlikely to be decided by this run. With about 600',
      '    executions a target at half the bound meets it in 20.0 % of runs. Run',
      '    longer, or judge it by value',
      '',
    ].join('\n'),
  )
})

test('what is asked before it begins counts the thresholds that it leaves undecided', () => {
  const sure = { ...FACTS, thresholds: FACTS.thresholds.slice(1), shortTokens: 1 }
  expect(renderForecast(sure)).toContain('\n  ! 1 token of fewer than 8 characters')
  expect(questionOf([sure])).toBe('Start? Each kickoff may cost money.')
  const [one, both] = [[FACTS], [FACTS, sure, FACTS]].map(questionOf)
  expect(one).toMatch(/, and a threshold will probably be undecided/)
  expect(both).toMatch(/, and 2 thresholds will probably be undecided/)
})

test('an estimate that is the bound is said to be the bound', () => {
  expect(renderForecast({ ...FACTS, requests: 36_000 })).toContain(
    '\n  requests    at most 36,000 without retries\n',
  )
})

test('what cannot be known before is said in words', () => {
  const unknown = { ...FACTS, kickoffs: null, cost: null, requests: null, durationMs: null }
  expect(renderForecast(unknown)).toContain('as many as the clients complete')
  expect(renderForecast(unknown)).toContain('unknown (set it with --cost-per-kickoff)')
  expect(renderForecast(unknown)).toContain('until the last client ends, at most 20 min')
})

test('slow rates are told by the hour', () => {
  expect(renderForecast({ ...FACTS, peakKickoffsPerSecond: 1 / 90 })).toContain('at most 40/h')
  expect(renderForecast({ ...FACTS, isPeakMean: true })).toContain(', up to 2/s on average')
})
