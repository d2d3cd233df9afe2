import { expect, test } from 'vitest'
import { hostileDocument, steadyDocument } from './sample-document.ts'
import { runFile } from '../../support/run-shown.ts'

test('every row of a table has as many cells as its head, whatever the names say', () => {
  const rows = runFile(hostileDocument(), 'summary.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  for (const row of rows) expect([7, 8]).toContain(row.split(/(?<!\\)\|/).length)
})

test('foreign markup stays text', () => {
  const text = runFile(hostileDocument(), 'summary.md').replaceAll(/(`+) ?.*?\1/g, '')
  expect(text).not.toMatch(/(?<!\\)<script/)
  expect(text).not.toMatch(/@(?!\u200B)\w/)
})

test('the verdict comes first', () => {
  expect(runFile(steadyDocument(), 'summary.md').split('\n')[0]).toBe('## ✓ PASSED: steady')
})
