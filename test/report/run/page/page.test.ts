/** What the page of a run shows, and where. */
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../../src/result/document.ts'
import { formatMs } from '../../../../src/base/numbers.ts'
import { steadyDocument, tinyDocument } from '../sample-document.ts'
import { runFile, runTerminal } from '../../../support/run-shown.ts'
import { findingOf } from '../../../../src/result/sentence-tables.ts'
import { FINDINGS } from '../../../../src/result/sentences/findings.ts'

const PLAIN = { color: false, width: 160, reportPath: null }

test('the same number reads the same on the page as on the terminal', () => {
  const page = runFile(steadyDocument(), 'report.html').replaceAll('\u00A0', ' ')
  const [row = ''] = /^ +kickoff response .*/m.exec(runTerminal(steadyDocument(), PLAIN)) ?? []
  const [, ...cells] = row.trim().split(/ {2,}/)
  expect(cells).toHaveLength(5)
  for (const cell of cells) expect(page).toContain(`>${cell}<`)
})

test('shows the values themselves where there are fewer than 20', () => {
  const { values } = tinyDocument().distributions['execution']!
  expect(values).toHaveLength(5)
  const shown = values!.map((value) => formatMs(value)).join(', ')
  expect(runFile(tinyDocument(), 'report.html').replaceAll('\u00A0', ' ')).toContain(shown)
  expect(runTerminal(tinyDocument(), PLAIN)).toContain(`end to end, each: ${shown}`)
  expect(runFile(steadyDocument(), 'report.html')).not.toContain('the values themselves')
})

test('names the ledger’s files only where there is a ledger', () => {
  const document = steadyDocument()
  expect(runFile(document, 'report.html')).toMatch(/ledger\.ndjson<[\s\S]*clock\.json</)
  expect(runFile({ ...document, ledger: null }, 'report.html')).not.toContain('ledger.ndjson')
})

test('draws p50 and p95 over time only where enough executions ended', () => {
  expect(runFile(steadyDocument(), 'report.html')).toContain(
    'each step over at least 20 executions',
  )
  expect(runFile(tinyDocument(), 'report.html')).not.toContain('each step over')
})

test('shows five findings at once, and folds away what is more than one more', () => {
  const finding = findingOf(FINDINGS, 'left-unanswered', { kickoffs: 1 })
  const headOf = (count: number): string => {
    const findings = Array.from({ length: count }, () => finding)
    return /<header>.*<\/header>/s.exec(
      runFile({ ...steadyDocument(), findings }, 'report.html'),
    )![0]
  }
  expect(headOf(6)).not.toContain('more finding')
  expect(headOf(9)).toContain('4 more findings')
  expect(
    headOf(9)
      .split('4 more findings')[0]!
      .match(/class="advice problem"/g),
  ).toHaveLength(5)
  expect(headOf(9).match(/class="advice problem"/g)).toHaveLength(9)
})

test('is amber where a run passed with problems', () => {
  const { verdict, ...rest } = steadyDocument()
  const unclear = { moment: null, age: null, isAskedPossible: false }
  const findings = [findingOf(FINDINGS, 'forgotten', { executions: 3, ...unclear })]
  const page = runFile({ ...rest, findings, verdict: { ...verdict, problems: 2 } }, 'report.html')
  expect(page).toContain('<h1><span class="doubt">!\u00A0Passed with 2 problems:</span> the target')
  expect(page).toContain('<title>! PASSED WITH 2 PROBLEMS')
})

/** 38 of 100 were never served; the slowest of the others took 50 s. */
function unservedDocument(never: number): ResultDocument {
  const document = steadyDocument()
  const execution = document.distributions['execution']!
  const quantiles = execution.quantiles.filter(({ q }) => q < 1 - never / 100)
  return {
    ...document,
    distributions: {
      ...document.distributions,
      execution: { ...execution, n: 100, never, max: 50_000, quantiles },
    },
  }
}

test('ends the curve of end to end in an arrow where those begin who were never served', () => {
  const page = runFile(unservedDocument(38), 'report.html')
  expect(page).toContain('data-tip="38.0 % never"')
  expect(page).toMatch(/>end to end<tspan class="quiet"[^>]*>38\.0 % never<\/tspan/)
  expect(page).toMatch(/<td class="number">over p62<\/td><td class="number">never<\/td>/)
  expect(page).toContain('38 of 100 executions did not end')
  expect(page).toContain('At p95 of the 62 that ended, ')
  expect(runFile(steadyDocument(), 'report.html')).not.toContain('% never')
})

test('leaves end to end in the picture where not even the half was served', () => {
  expect(runFile(unservedDocument(62), 'report.html')).toMatch(
    />end to end<tspan class="quiet"[^>]*>62\.0 % never<\/tspan/,
  )
})
