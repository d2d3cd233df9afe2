import { describe, expect, test } from 'vitest'
import { renderTerminal } from '../../../src/report/index.ts'
import {
  failingDocument,
  hostileDocument,
  invalidDocument,
  steadyDocument,
  tinyDocument,
} from '../sample-document.ts'

const PLAIN = { color: false, width: 100, reportPath: null }

describe('the end print', () => {
  test('says the verdict first', () => {
    expect(renderTerminal(invalidDocument(), PLAIN)).toMatch(/^INVALID {3}/)
  })

  test('says the same with colour as without', () => {
    const painted = renderTerminal(failingDocument(), { ...PLAIN, color: true })
    const stripped = painted.replaceAll(/\p{Cc}\[[\d;]+m/gu, '')
    expect(painted).not.toBe(stripped)
    expect(stripped).toBe(renderTerminal(failingDocument(), PLAIN))
  })

  test('passes no control character of a target on to the terminal', () => {
    expect(renderTerminal(hostileDocument(), PLAIN)).not.toMatch(/[^\P{Cc}\n]/u)
  })

  test.each([60, 80, 100, 160])('keeps its prose within %i columns', (width) => {
    const lines = renderTerminal(steadyDocument(), { ...PLAIN, width }).split('\n')
    const prose = lines.filter((line) => /^ {2}(Outcomes|Polling|Contract|Ledger|i )/.test(line))
    expect(prose).not.toHaveLength(0)
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(width)
  })

  test('says how many samples a quantile lacks', () => {
    expect(renderTerminal(tinyDocument(), PLAIN)).toContain('too few (5 of 59 needed)')
  })

  test('ends a miss with the next command to type', () => {
    expect(renderTerminal(failingDocument(), PLAIN)).toMatch(/MISS .*crewload report/)
  })

  test('says once that a second stands for more', () => {
    const text = renderTerminal(failingDocument(), PLAIN)
    expect(text.match(/one second of this run stands for 60 s/g)).toHaveLength(1)
  })
})
