import { describe, expect, test } from 'vitest'
import {
  failingDocument,
  hostileDocument,
  invalidDocument,
  steadyDocument,
  tinyDocument,
} from '../sample-document.ts'
import { runTerminal } from '../../../support/run-shown.ts'
import { findingOf } from '../../../../src/result/codes.ts'

const PLAIN = { color: false, width: 100, reportPath: null }

describe('the end print', () => {
  test('says the verdict first', () => {
    expect(runTerminal(invalidDocument(), PLAIN)).toMatch(/^INVALID {3}/)
  })

  test('says the same with colour as without', () => {
    const painted = runTerminal(failingDocument(), { ...PLAIN, color: true })
    const stripped = painted.replaceAll(/\p{Cc}\[[\d;]+m/gu, '')
    expect(painted).not.toBe(stripped)
    expect(stripped).toBe(runTerminal(failingDocument(), PLAIN))
  })

  test('says that time was virtual, and over which network', () => {
    const document = steadyDocument()
    const run = { ...document.run, engine: 'virtual' as const, network: 'lan: 1 ms\u001b[31m' }
    const told = runTerminal({ ...document, run }, { ...PLAIN, width: 160 })
    expect(told).toContain(
      '\n  Simulated in virtual time, over the network lan: 1 ms<U+001B>[31m.\n',
    )
    expect(runTerminal(document, PLAIN)).not.toContain('Simulated')
  })

  test('passes no control character of a target on to the terminal', () => {
    expect(runTerminal(hostileDocument(), PLAIN)).not.toMatch(/[^\P{Cc}\n]/u)
  })

  test.each([60, 80, 100, 160])('keeps its prose within %i columns', (width) => {
    const lines = runTerminal(steadyDocument(), { ...PLAIN, width }).split('\n')
    const prose = lines.filter((line) => /^ {2}(Outcomes|Polling|Contract|Ledger|i )/.test(line))
    expect(prose).not.toHaveLength(0)
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(width)
  })

  test('says how many samples a quantile lacks', () => {
    const text = runTerminal(tinyDocument(), PLAIN)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'kickoff response: too few for p50, p95, p99 (5 of 6, 59, 299 needed)',
    )
  })

  test.each([60, 80, 120, 200])('keeps its tables within %i columns', (width) => {
    for (const create of [steadyDocument, tinyDocument, failingDocument]) {
      const [, waits = ''] = runTerminal(create(), { ...PLAIN, width }).split(/^(?= {2}What)/m)
      const [table = ''] = waits.split('\n\n')
      expect(Math.max(...table.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(width)
      expect(table).toContain('end to end')
    }
  })

  test('names the interval of p95 and the source below where the table has no room', () => {
    const narrow = runTerminal(steadyDocument(), { ...PLAIN, width: 60 })
    expect(narrow).toMatch(/95 % interval of p95: end to end/)
    expect(narrow).toMatch(/waiting for a worker, detection delay: from the ledger/)
    expect(runTerminal(steadyDocument(), { ...PLAIN, width: 120 })).toMatch(/\(from the ledger\)/)
  })

  test('says below a miss what to do next', () => {
    expect(runTerminal(failingDocument(), PLAIN)).toMatch(
      /✗ missed .*\n +see the unserved executions/,
    )
  })

  test('tells a problem, a warning and a note apart by word and sign, not by colour alone', () => {
    const findings = (['stall', 'retry-budget', 'resumed'] as const).map((code) =>
      findingOf(code, 'look'),
    )
    const lines = runTerminal({ ...steadyDocument(), findings }, PLAIN).split('\n')
    expect(lines).toEqual(
      expect.arrayContaining(['  ✗ problem: look', '  ! warning: look', '  i note: look']),
    )
  })
})
