/** A question at a terminal takes a line, and two keys that are no answer. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { typedAt } from '../../../src/cli/io/process-io.ts'

const ROWS = [
  { keys: 'y\r', line: 'y', interrupts: 0 },
  { keys: '\r', line: '', interrupts: 0 },
  { keys: 'y\u0003', line: '', interrupts: 1 },
  { keys: '\u0004', line: '', interrupts: 0 },
]

test.each(ROWS)('$keys', async ({ keys, line, interrupts }) => {
  const terminal = { input: new PassThrough(), output: new PassThrough() }
  let seen = 0
  const answer = typedAt(terminal, 'Start? [y/N] ', () => void seen++)
  terminal.input.write(keys)
  expect(await answer).toBe(line)
  expect(seen).toBe(interrupts)
  expect(String(terminal.output.read())).toContain('Start? [y/N] ')
})
