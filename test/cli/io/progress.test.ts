/** Progress without a terminal: a line every ten seconds, and an alarm once. */
import { expect, test } from 'vitest'
import { createProgress, newsOfRuns } from '../../../src/cli/io/progress.ts'
import type { Io } from '../../../src/cli/io/io.ts'
import { LIVE } from '../../report/run/terminal/live.ts'

test('twenty lines tell one alarm once', () => {
  const lines: string[] = []
  const stderr = { isTerminal: false, write: (text: string) => lines.push(text) }
  const display = createProgress({ stderr } as unknown as Io, false)
  for (let i = 1; i <= 20; i++) {
    const lateness = { p99Ms: 50 + i, exceededMs: 10 }
    const warnings = [{ message: `generator late: p99 ${50 + i} ms`, remedy: 'lower the rate' }]
    display.show({ ...LIVE, elapsedMs: i * 10_000, lateness, warnings })
  }
  expect(lines).toHaveLength(20)
  expect(lines.filter((line) => /LATE|lower the rate/.test(line))).toEqual([lines[0]])
  expect(lines[19]).toContain('lateness p99 70.0 ms')
})

test('each run of a study tells its own alarm once', () => {
  const late = { ...LIVE, warnings: [{ message: 'generator late', remedy: 'lower the rate' }] }
  const isNews = newsOfRuns()
  const trials = [1, 1, 1, 2, 2, 3]
  expect(trials.map((trial) => isNews(late, trial))).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ])
})
