import { expect, test } from 'vitest'
import { exitHelp } from '../../src/cli/exit-codes.ts'

test('the table of exit codes has a line for each code, within 80 columns', () => {
  const [title, ...lines] = exitHelp().trimEnd().split('\n')
  expect(title).toBe('Exit codes:')
  expect(lines.map((line) => Number(line.trim().split(/ +/)[0]))).toEqual([
    0, 1, 2, 3, 4, 5, 70, 130,
  ])
  expect(lines.every((line) => line.length <= 80)).toBe(true)
})

test('a command replaces meanings, and leaves out a code with which it never ends', () => {
  const own = { failed: null, inconclusive: `undecided: ${'too few runs, '.repeat(6)}all short` }
  const lines = exitHelp(own).trimEnd().split('\n')
  expect(lines.some((line) => line.startsWith('  1 '))).toBe(false)
  const at = lines.findIndex((line) => line.startsWith('  4    undecided: too few runs, '))
  expect(at).toBeGreaterThan(0)
  expect(lines[at + 1]).toMatch(/^ {7}\S/)
  expect(lines[at + 2]).toMatch(/^ {2}5 {4}target never reached/)
})
