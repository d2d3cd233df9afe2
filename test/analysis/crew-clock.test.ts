import { describe, expect, test } from 'vitest'
import { onCrewClock, thresholdOnCrewClock } from '../../src/analysis/crew-clock.ts'
import type { Metric, ResultDocument, ThresholdResult } from '../../src/analysis/document.ts'
import { renderHtml } from '../../src/report/run/page/page.ts'
import { renderMarkdown } from '../../src/report/run/markdown.ts'
import { renderTerminal } from '../../src/report/run/terminal/end.ts'
import { steadyDocument } from '../report/run/sample-document.ts'

function metric(value: Metric['value'], unit: Metric['unit'] = 'ms'): Metric {
  const rest = { n: 100, never: 0, needed: null, effective: null }
  return { value, unit, low: value, high: 'never', ...rest }
}

const LAPSED: ThresholdResult = {
  metric: 'execution.p95',
  text: '< 6.00 s (6m at speed 60)',
  operator: '<',
  bound: 6_000,
  status: 'met',
  judged: 'interval',
  source: 'scenario',
  measured: metric(3_550),
  more: null,
  doubt: null,
  hint: null,
}

function lapsed(): ResultDocument {
  const document = steadyDocument(60)
  return { ...document, run: { ...document.run, speed: 60 }, thresholds: [LAPSED] }
}

function maxOf(document: ResultDocument, name: string): number {
  return document.distributions[name]!.max!
}

describe('the clock of the crew', () => {
  test('is the clock on the wall where there is no time-lapse', () => {
    const document = steadyDocument(60)
    expect(onCrewClock(document)).toBe(document)
  })

  test.each([
    ['execution.p95', metric(2_000), 120_000],
    ['detectionDelay.max', metric('never'), 'never'],
    ['throughput.accepted', metric(3, 'perSecond'), 0.05],
    ['execution.failed', metric(0.02, 'share'), 0.02],
    ['kickoff.response.p95', metric(250), 250],
    ['status.service.p50', metric(20), 20],
    ['lateness.p99', metric(1), 1],
  ])('holds of %s what it says of the crew', (name, measured, expected) => {
    const document = { ...lapsed(), metrics: { [name]: measured } }
    expect(onCrewClock(document).metrics[name]!.value).toBe(expected)
  })

  test('puts the bound first as its author wrote it', () => {
    const { bound, text, measured } = thresholdOnCrewClock(LAPSED, 60)
    expect(bound).toBe(360_000)
    expect(text).toBe('< 6m (6.00 s at speed 60)')
    expect(measured).toMatchObject({ value: 213_000, low: 213_000, high: 'never' })
  })

  test('moves times of executions and leaves times of requests', () => {
    const before = lapsed()
    const after = onCrewClock(before)
    for (const name of ['execution', 'detectionDelay', 'queue']) {
      expect(maxOf(after, name)).toBeCloseTo(60 * maxOf(before, name))
    }
    expect(maxOf(after, 'kickoff.response')).toBe(maxOf(before, 'kickoff.response'))
    expect(after.series.intervalMs).toBe(60 * before.series.intervalMs)
    expect(after.breakdown[0]!.totalMs).toBeCloseTo(60 * before.breakdown[0]!.totalMs)
    expect(after.run).toBe(before.run)
  })

  test('stands large in every report, with the time of the run beside it', () => {
    const page = renderHtml(lapsed()).replaceAll('\u00A0', ' ')
    expect(page).toMatch(/3\.55 min\s*<span class="origin">3\.55 s at speed 60<\/span>/)
    expect(page).toMatch(/&lt; 6 min\s*<span class="origin">6 s at speed 60<\/span>/)
    expect(page).toContain('Kickoff request, wall time')
    expect(page.match(/on the clock of the crew\./g)).toHaveLength(5)
    expect(renderMarkdown(lapsed())).toContain('| 3.55 min (3.55 s at speed 60) |')
    const terminal = renderTerminal(lapsed(), { color: false, width: 100, reportPath: null })
    expect(terminal).toMatch(
      /execution\.p95 +3\.55 min +< 6 min +\(3\.55 s against 6 s at speed 60\)/,
    )
    expect(terminal).toMatch(/end to end .*\n {6}in this run +\d/)
    expect(terminal).toContain('kickoff response, wall')
  })

  test.each([60, 80, 120])('keeps its tables within %i columns', (width) => {
    const text = renderTerminal(lapsed(), { color: false, width, reportPath: null })
    const lines = text
      .split('\n')
      .filter((line) => /in this run|execution\.p95|end to end/.test(line))
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
  })
})
