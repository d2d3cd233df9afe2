import { describe, expect, test } from 'vitest'
import { renderProgress, renderProgressLine } from '../../../../src/report/run/terminal/progress.ts'
import { LIVE } from './live.ts'

const PLAIN = { color: false, width: 120 }

describe('the panel', () => {
  test('is three lines while all is well', () => {
    expect(renderProgress(LIVE, PLAIN)).toBe(
      [
        'crewload  steady on http://127.0.0.1:41377   fake crew "default"   seed 42   2/min',
        ' 0:47  26 %  about 2 min left  ███████▊░░░░░░░░░░░░░░░░░░░░░░  94/360 started  ' +
          '2 in flight  90 completed  2 failed',
        ' kickoff  p50 3.10 ms  p95 8.80 ms      status  41.0/s  p95 4.00 ms      lateness p99 ' +
          '600 us  ok',
      ].join('\n'),
    )
  })

  test('says a lateness over its bound in words', () => {
    const lateness = { p99Ms: 38, exceededMs: 5 }
    expect(renderProgress({ ...LIVE, lateness }, PLAIN)).toContain('LATE (bound 5.00 ms)')
  })

  test('says all of it at 80 columns, on more lines', () => {
    const lateness = { p99Ms: 38, exceededMs: 10 }
    const place = { ...LIVE.place, target: 'https://crew-of-a-long-name.example.com' }
    const busy = { ...LIVE, place, lateness }
    expect(renderProgress(busy, { color: false, width: 79 })).toBe(
      [
        'crewload  steady on https://crew-of-a-long-name.example.com',
        ' fake crew "default"   seed 42   2/min',
        ' 0:47  26 %  about 2 min left  ███████▊░░░░░░░░░░░░░░░░░░░░░░  94/360 started',
        ' 2 in flight  90 completed  2 failed',
        ' kickoff  p50 3.10 ms  p95 8.80 ms      status  41.0/s  p95 4.00 ms',
        ' lateness p99 38.0 ms  LATE (bound 10.0 ms)',
        '! the generator was late: p99 38.0 ms, bound 10.0 ms. Lower the rate, use a',
        ' separate machine, or raise the bound in the scenario: validity: { lateness:',
        " '50ms' }",
      ].join('\n'),
    )
  })

  test.each([20, 40, 80])('has no line wider than %i columns', (width) => {
    for (const line of renderProgress(LIVE, { color: false, width }).split('\n')) {
      expect(Array.from(line).length).toBeLessThanOrEqual(width)
    }
  })

  test.each([
    ['warm-up', { kind: 'warm-up' }],
    ['draining: all arrivals sent', { kind: 'finishing' }],
    ['draining: no new kickoffs', { kind: 'draining', leftMs: 5_000 }],
  ] as const)('names what is not measured: %s', (words, phase) => {
    expect(renderProgress({ ...LIVE, phase }, PLAIN)).toContain(`\n ${words}`)
    expect(renderProgress(LIVE, PLAIN)).not.toContain(words)
  })

  test('is full at the end, and says nothing of it where nobody knows when that is', () => {
    const over = { ...LIVE, share: 1, leftMs: null }
    expect(renderProgress(over, PLAIN)).toMatch(/ 0:47  100 %  █{30}  94/)
    const unknown = { ...LIVE, share: null, leftMs: null }
    expect(renderProgress(unknown, PLAIN)).toContain(' 0:47  94/360 started')
    expect(renderProgressLine(unknown)).toMatch(/^0:47 {2}94\/360 started/)
  })

  test.each([
    [3_000, '5 s'],
    [88_000, '90 s'],
    [91_000, '2 min'],
    [5_340_000, '89 min'],
    [7_500_000, '2 h 05 min'],
  ])('of %i ms, says about %s', (leftMs, words) => {
    expect(renderProgressLine({ ...LIVE, leftMs })).toContain(`  about ${words} left  `)
  })

  test('at 40 columns breaks between words', () => {
    const text = renderProgress(LIVE, { color: false, width: 39 })
    expect(text).toContain('\n http://127.0.0.1:41377')
    expect(text).not.toContain('…')
  })

  test('shows dashes before anything was measured', () => {
    const empty = { ...LIVE, kickoff: { p50Ms: null, p95Ms: null }, outcomes: {}, share: null }
    expect(renderProgress(empty, PLAIN)).toContain('p50 –  p95 –')
  })
})

test('without a terminal it is one plain line', () => {
  const line = renderProgressLine({ ...LIVE, phase: { kind: 'finishing' }, queued: 3 })
  expect(line).not.toContain('\n')
  expect(line).toContain('3 queued')
  expect(line).toContain('all arrivals sent')
})
