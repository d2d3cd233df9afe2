import { expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/report/run/markdown.ts'
import { hostileDocument, steadyDocument } from './sample-document.ts'

test('every row of a table has as many cells as its head, whatever the names say', () => {
  const rows = renderMarkdown(hostileDocument())
    .split('\n')
    .filter((line) => line.startsWith('|'))
  for (const row of rows) expect([7, 8]).toContain(row.split(/(?<!\\)\|/).length)
})

test('foreign markup stays text', () => {
  const text = renderMarkdown(hostileDocument()).replaceAll(/(`+) ?.*?\1/g, '')
  expect(text).not.toMatch(/(?<!\\)<script/)
  expect(text).not.toMatch(/@(?!\u200B)\w/)
})

test('the verdict comes first', () => {
  expect(renderMarkdown(steadyDocument()).split('\n')[0]).toBe('## ✓ PASSED: steady')
})
