/** Progress without a terminal: a line every ten seconds, and an alarm once. */
import { expect, test } from 'vitest'
import { createProgress, newsOfRuns } from '../../../src/cli/io/progress.ts'
import type { Io } from '../../../src/cli/io/io.ts'
import type { LiveProgress } from '../../../src/report/run/terminal/progress.ts'

const LIVE: LiveProgress = {
  scenario: 'steady',
  target: 'http://127.0.0.1:41377',
  profile: null,
  seed: 1,
  speed: 1,
  load: '1/s',
  phase: { kind: 'running' },
  elapsedMs: 0,
  totalMs: 300_000,
  started: 1,
  inFlight: 1,
  queued: 0,
  outcomes: {},
  kickoff: { p50Ms: 3, p95Ms: 8 },
  status: { perSecond: 1, p95Ms: 4 },
  lateness: { p99Ms: 0.6, exceededMs: null },
  warnings: [],
}

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
