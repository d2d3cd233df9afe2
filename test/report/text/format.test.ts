import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Metric, ThresholdResult } from '../../../src/result/document.ts'
import { parseDuration } from '../../../src/base/units.ts'
import { formatCount, formatInterval, plural } from '../../../src/base/numbers.ts'
import { padded } from '../../../src/report/text/columns.ts'
import { formatInstant, plainText } from '../../../src/report/text/format.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  formatMetric,
} from '../../../src/result/metrics/sentences.ts'
import { tinyDocument } from '../run/sample-document.ts'
import { runFile, runTerminal } from '../../support/run-shown.ts'
import { testBound } from '../../support/plan.ts'

function metric(value: number | null, over: Partial<Metric> = {}): Metric {
  return {
    value,
    unit: 'ms',
    low: null,
    high: null,
    n: 100,
    never: 0,
    needed: null,
    effective: null,
    ...over,
  }
}

function threshold(value: number, bound: number, over: Partial<Metric> = {}): ThresholdResult {
  const measured = metric(value, over)
  return {
    metric: 'kickoff.response.p95',
    ...testBound('<  5ms'),
    bound,
    status: 'met',
    judged: 'interval',
    source: 'scenario',
    measured,
    more: null,
    doubt: null,
    next: null,
    hint: null,
  }
}

describe('a metric', () => {
  test.each<[why: string, metric: Metric, text: string]>([
    ['three digits without an interval', metric(3.1234), '3.12 ms'],
    [
      'three digits within a narrow interval',
      metric(61_410, { low: 61_000, high: 61_900 }),
      '61.4 s',
    ],
    ['fewer digits within a wide interval', metric(61_410, { low: 30_000, high: 99_000 }), '61 s'],
    ['never less than its first digit', metric(3.12, { low: 0, high: 4_000 }), '3 ms'],
    ['minutes from ten minutes on', metric(11_040_000), '3 h 04 min'],
    ['a share in percent', metric(0.022, { unit: 'share' }), '2.20 %'],
    [
      'a share within its interval',
      metric(0.022, { unit: 'share', low: 0.011, high: 0.043 }),
      '2.2 %',
    ],
    ['a rate with its unit', metric(2.5, { unit: 'perSecond' }), '2.50/s'],
    ['a count with its thousands', metric(12_345, { unit: 'count' }), '12,345'],
    ['too few samples', metric(null, { n: 12, needed: 59 }), 'too few (12 of 59 needed)'],
    [
      'no bound of too few samples as if it were their value',
      metric(null, { n: 12, needed: 59, low: 4_990 }),
      'too few (12 of 59 needed)',
    ],
    ['nothing at all without a unit in thousandths', metric(0), '0 ms'],
    ['a bound where the unfinished hide the value', metric(null, { low: 241_000 }), 'over 241 s'],
    [
      'what a hidden value exceeds, and not how low its interval reaches',
      metric(null, { low: 1_500_000, exceeds: 1_800_000 }),
      'over 30 min',
    ],
    ['nothing measured', metric(null, { n: 0 }), '–'],
  ])('shows %s', (_, given, text) => {
    expect(formatMetric(given)).toBe(text)
  })

  test('never shows a digit finer than a tenth of half its interval', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 500, noNaN: true }),
        fc.double({ min: 0.001, max: 400, noNaN: true }),
        (value, half) => {
          const shown = formatMetric(metric(value, { low: value - half, high: value + half }))
          const decimals = /\.(\d+)/.exec(shown)?.[1]?.length ?? 0
          const last = 10 ** -decimals * (shown.endsWith(' us') ? 0.001 : 1)
          expect(last).toBeGreaterThanOrEqual(Math.min(half / 100, value / 1_000, 0.001))
        },
      ),
      { seed: 20_261_121, numRuns: 200 },
    )
  })
})

describe('an interval', () => {
  test('names a shared unit once', () => {
    expect(formatInterval(metric(200, { low: 195.2, high: 230.1 }), 'ms')).toBe('195 to 230 ms')
  })

  test('names both units where they differ', () => {
    expect(formatInterval(metric(990, { low: 900, high: 1_100 }), 'ms')).toBe('900 ms to 1.10 s')
  })

  test('is null where n allows none', () => {
    expect(formatInterval(metric(5), 'ms')).toBeNull()
  })
})

describe('a threshold', () => {
  test('shows the digits that tell a value from the bound that it is under', () => {
    expect(formatMeasured(threshold(4.998, 5))).toBe('4.998 ms')
  })

  test('shows a value that is the bound as the bound', () => {
    expect(formatMeasured(threshold(5, 5))).toBe('5.00 ms')
  })

  test('is not coarsened by its interval to the bound itself', () => {
    expect(formatMeasured(threshold(4.96, 5, { low: 2, high: 9 }))).toBe('4.96 ms')
  })

  test.each([
    [165_000, '< 8m', '2.75 min', '2.50 to 3.00 min'],
    [1_050_000, '< 90s', '1,050 s', '1,035 to 1,065 s'],
    [1_200, '< 500ms', '1,200 ms', ''],
    [8.6, '< 0.5s', '0.00860 s', ''],
    [3, '< 8m', '3.00 ms', ''],
    [4_320_000, '< 1h', '1.20 h', ''],
    [1_800_000, '< 1h', '0.500 h', ''],
    [4_998, '< 5s', '4.998 s', ''],
    [479_990, '< 8m', '7.9998 min', ''],
  ])('shows %d ms against %s in its unit: %s', (value, text, shown, interval) => {
    const bound = (1_000 * parseDuration(text.slice(2))!) / 1e6
    const [low, high] = [value - 15_000, value + 15_000]
    expect(formatMeasured({ ...threshold(value, bound), ...testBound(text) })).toBe(shown)
    if (interval === '') return
    const measured = { ...threshold(value, bound, { low, high }), ...testBound(text) }
    expect(formatMeasuredInterval(measured)).toBe(interval)
  })

  test('is shown in one unit by every report', () => {
    const result = { ...threshold(171_000, 480_000), ...testBound('< 8m') }
    const document = { ...tinyDocument(), thresholds: [result] }
    const undecided = { ...result, status: 'undecided' as const }
    const open = { ...document, thresholds: [undecided] }
    for (const text of [
      runTerminal(open, { color: false, width: 200, reportPath: null }),
      runFile(document, 'report.html'),
      runFile(document, 'summary.md'),
    ]) {
      expect(text).toContain('2.85 min')
      expect(text).not.toContain('171 s')
    }
    const missed = {
      ...threshold(660_000, 480_000),
      ...testBound('< 8m'),
      status: 'missed' as const,
    }
    expect(runFile({ ...document, thresholds: [missed] }, 'junit.xml')).toContain(
      '11 min, bound &lt; 8 min',
    )
  })

  test('says what proves a miss where there is no value', () => {
    const few = { value: null, n: 12, needed: 59 }
    const missed = { ...threshold(1, 5, { ...few, low: 7.5 }), status: 'missed' as const }
    const under = { ...threshold(1, 5, { ...few, high: 2 }), status: 'missed' as const }
    expect([missed, under].map(formatMeasured)).toEqual(['over 7.50 ms', 'under 2.00 ms'])
  })

  test.each([
    ['<  5ms', '< 5 ms'],
    ['< 1h30m', '< 1 h 30 min'],
    ['< 1.5s', '< 1.5 s'],
    ['< 10%', '< 10 %'],
    ['< 0.05', '< 0.05'],
    ['< 1000ms', '< 1000 ms'],
    ['< 3/m', '< 3/min'],
    ['< 8.00 s', '< 8 s'],
    ['< 10.00 s', '< 10 s'],
    ['< 6.00/s', '< 6/s'],
  ])('writes the bound %s as %s', (text, shown) => {
    expect(boundText({ ...threshold(1, 5), ...testBound(text) })).toBe(shown)
  })
})

describe('foreign text', () => {
  test('keeps no escape sequence, line break or direction mark', () => {
    expect(plainText('a\u001B[31mb\r\nc\u202Ed')).toBe('a<U+001B>[31mb c<U+202E>d')
  })

  test('is cut between characters, not within one', () => {
    expect(plainText('👍👍👍👍', 3)).toBe('👍👍…')
  })

  test.each([
    ['several limits may apply', 24, 'several limits may apply'],
    ['several limits may apply', 23, 'several limits may…'],
    ['several limits may apply', 19, 'several limits may…'],
    ['several limits may apply', 18, 'several limits…'],
    ['several '.repeat(100), 20, 'several several…'],
    ['a '.padEnd(30, 'x'), 20, `${'a '.padEnd(19, 'x')}…`],
  ])('%j within %i: after a whole word, unless that is far away', (text, limit, shown) => {
    expect(plainText(text, limit)).toBe(shown)
  })
})

test('counts have their thousands apart and nouns their number', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect(plural(1, 'execution')).toBe('1 execution')
  expect(plural(2_000, 'execution')).toBe('2,000 executions')
})

test('numbers are aligned at their ends, and units at their beginnings, whatever the unit', () => {
  const cells = padded([['3 h 04 min'], ['8.60 ms'], ['too few']], ['unit'])
  expect(cells.flat()).toEqual(['3 h 04 min', '  8.60 ms ', '   too few'])
})

test('an instant reads without its T and Z', () => {
  expect(formatInstant('2026-11-21T08:15:00.000Z')).toBe('2026-11-21 08:15:00 UTC')
})
