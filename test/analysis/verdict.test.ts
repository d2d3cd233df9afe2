import { describe, expect, test } from 'vitest'
import type { Metric, RunInfo, ThresholdResult } from '../../src/analysis/document.ts'
import type { Observations } from '../../src/analysis/observations.ts'
import { reachVerdict } from '../../src/analysis/verdict.ts'
import { OUTCOMES } from '../../src/execution/record.ts'
import type { Outcome } from '../../src/execution/record.ts'

function metric(value: number | null, over: Partial<Metric> = {}): Metric {
  return { value, unit: 'ms', low: null, high: null, n: 1, needed: null, ...over }
}

function sentenceOf(
  seen: Partial<Record<Outcome, number>>,
  over: {
    stopped?: RunInfo['stopped']
    thresholds?: ThresholdResult[]
    longestMs?: number | null
  } = {},
): string {
  const none = Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Record<Outcome, number>
  const outcomes = { ...none, ...seen }
  const arrivals = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  return reachVerdict({
    validity: [],
    thresholds: over.thresholds ?? [],
    stopped: over.stopped ?? null,
    stopReason: null,
    durationMs: 3_060,
    targetLoss: null,
    longest: metric(over.longestMs === undefined ? 1_020 : over.longestMs),
    observations: {
      window: { arrivals, outcomes },
      reasons: {},
      notes: [],
      cutMicros: null,
    } as unknown as Observations,
  }).sentence
}

describe('the sentence', () => {
  test.each<[why: string, seen: Partial<Record<Outcome, number>>, sentence: string]>([
    ['many', { completed: 3 }, 'Passed. 3 executions in 3.06 s; nobody waited longer than 1.02 s.'],
    ['one', { completed: 1 }, 'Passed. 1 execution in 3.06 s; it took 1.02 s.'],
    [
      'one that failed',
      { failed: 1 },
      'Inconclusive. The one arrival did not complete. 1 execution in 3.06 s; it took 1.02 s; its outcome: failed.',
    ],
    [
      'a share as coarse as the tables, by its interval',
      { completed: 142, failed: 2 },
      'Passed. 144 executions in 3.06 s; nobody waited longer than 1.02 s; 1.4 % failed.',
    ],
  ])('tells of %s', (_, seen, sentence) => {
    expect(sentenceOf(seen)).toBe(sentence)
  })

  test('calls what never began an arrival, and tells no wait', () => {
    expect(sentenceOf({ rejected: 20 }, { longestMs: null })).toBe(
      'Inconclusive. None of 20 arrivals completed. 20 arrivals in 3.06 s; 100 % rejected.',
    )
  })

  test.each<[seen: Partial<Record<Outcome, number>>, words: string]>([
    [{ completed: 5, notReached: 55 }, '60 arrivals, 5 executed, in 3.06 s'],
    [{ completed: 5, rejected: 5, dropped: 50 }, '60 arrivals, 5 executed, in 3.06 s'],
    [{ notReached: 60 }, '60 arrivals, none executed, in 3.06 s'],
    [{ completed: 5, aborted: 2 }, '7 executions in 3.06 s'],
  ])('counts as executed what was sent: %o', (seen, words) => {
    expect(sentenceOf(seen)).toContain(`. ${words}; `)
  })

  test('tells no longest wait where it is hidden', () => {
    const stuck = sentenceOf({ completed: 5, stuck: 1 }, { longestMs: null })
    expect(stuck).not.toContain('nobody waited')
  })

  test('tells of no arrival', () => {
    expect(sentenceOf({}, { longestMs: null })).toBe(
      'Inconclusive. No arrival fell into the measured window. Nothing was measured in 3.06 s.',
    )
  })

  test.each([
    ['drained', 'The run was stopped early and drained.'],
    ['now', 'The run was stopped at once.'],
  ] as const)('tells of a run stopped (%s)', (stopped, why) => {
    expect(sentenceOf({ completed: 3 }, { stopped })).toContain(`Inconclusive. ${why} 3 executions`)
  })

  test('writes a miss as the table does, and counts the other reasons', () => {
    const miss: ThresholdResult = {
      metric: 'execution.p95',
      text: '< 8.00 s (8m at speed 60)',
      operator: '<',
      bound: 8_000,
      status: 'missed',
      measured: metric(9_430, { low: 8_100, high: 12_000, n: 144 }),
      hint: null,
    }
    const unknown: ThresholdResult = {
      ...miss,
      metric: 'detectionDelay.p95',
      status: 'too-few',
      measured: metric(null, { n: 3, needed: 59 }),
    }
    expect(sentenceOf({ completed: 3 }, { thresholds: [miss, unknown] })).toMatch(
      /^Failed\. execution\.p95 is 9\.4 s, bound < 8 s \(and 1 more\)\. 3 executions/,
    )
  })
})
