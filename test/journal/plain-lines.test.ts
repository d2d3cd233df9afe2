/** What is recognised at a glance is what the schema accepts, and comes out of it unchanged. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { journalLine } from '../../src/execution/record/journal-lines.ts'
import { isPlainLine } from '../../src/journal/plain-lines.ts'
import { LINES, anyChange, changed } from './sample-lines.ts'

test('lines as they are written are recognised', () => {
  for (const line of LINES) expect(isPlainLine(line)).toBe(true)
})

test('what is recognised, the schema accepts and returns as it is, key by key', () => {
  let recognised = 0
  fc.assert(
    fc.property(anyChange, ({ one: { line, path }, how, odd }) => {
      // As it comes from a file.
      const text = JSON.stringify(changed(line, path, how, odd))
      const value: unknown = JSON.parse(text)
      if (!isPlainLine(value)) return
      recognised++
      const { success, data } = journalLine.safeParse(value)
      expect(success).toBe(true)
      expect(JSON.stringify(data)).toBe(text)
    }),
    { numRuns: 20_000, seed: 14 },
  )
  expect(recognised).toBeGreaterThan(500)
})

test('a tag called __proto__ is left to the schema', () => {
  const text = JSON.stringify(LINES[2]).replace('"audience"', '"__proto__"')
  expect(isPlainLine(JSON.parse(text))).toBe(false)
})
