/** Progress without a terminal: a line every ten seconds, and an alarm once. */
import { describe, expect, test } from 'vitest'
import { createProgress, createStudyProgress, newsOfRuns } from '../../../src/cli/io/progress.ts'
import type { Io } from '../../../src/cli/io/io.ts'
import type { StudyProgress } from '../../../src/study/frame/progress.ts'
import { LIVE } from '../../report/run/terminal/live.ts'

test('twenty lines tell one alarm once', () => {
  const lines: string[] = []
  const stderr = { isTerminal: false, write: (text: string) => lines.push(text) }
  const display = createProgress({ stderr } as unknown as Io, false)
  for (let i = 1; i <= 20; i++) {
    const lateness = { p99Ms: 50 + i, exceededMs: 10 }
    display.show({ ...LIVE, elapsedMs: i * 10_000, lateness })
  }
  expect(lines).toHaveLength(20)
  expect(lines.filter((line) => /LATE|lower the rate/.test(line))).toEqual([lines[0]])
  expect(lines[19]).toContain('lateness p99 70.0 ms')
})

test('each run of a study tells its own alarm once', () => {
  const late = { ...LIVE, lateness: { p99Ms: 50, exceededMs: 10 } }
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

function shown(width: number, progress: StudyProgress): string[] {
  let text = ''
  const stderr = { isTerminal: true, width: width + 1, write: (more: string) => (text += more) }
  createStudyProgress({ stderr, env: { NO_COLOR: '1' } } as unknown as Io, false).show(progress)
  return text.trimEnd().split('\n')
}

describe('a study', () => {
  const CONFIRMING = {
    study: 'capacity',
    trial: 'confirm 1: 381 per hour, 1,000 executions',
    number: 3,
    of: 5,
    isAbout: true,
    spent: { requests: 0, kickoffs: 1_847 },
    budget: { requests: null, kickoffs: 20_000 },
    elapsedMs: 245_000,
    leftMs: 360_000,
    soFar: '360 to 400/h',
    run: null,
  }

  test('says step, budget, time and the answer so far', () => {
    expect(shown(160, CONFIRMING)).toEqual([
      'capacity   step 3 of ~5: confirm 1: 381 per hour, 1,000 executions   ' +
        'kickoffs 1,847/20,000   4:05   about 6 min left   so far: 360 to 400/h',
    ])
  })

  test('says nothing of what it does not know', () => {
    const first = { ...CONFIRMING, of: null, leftMs: null, soFar: null, elapsedMs: 0 }
    expect(shown(160, { ...first, budget: { requests: null, kickoffs: null } })).toEqual([
      'capacity   step 3: confirm 1: 381 per hour, 1,000 executions   0:00',
    ])
  })

  test.each([40, 80, 120])('at %i columns breaks no word and no value', (width) => {
    const lines = shown(width, { ...CONFIRMING, run: LIVE })
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    const words = new Set(
      shown(400, { ...CONFIRMING, run: LIVE })
        .join(' ')
        .split(/\s+/),
    )
    const broken = lines
      .join(' ')
      .split(/\s+/)
      .filter((word) => !words.has(word))
    expect(broken.filter((word) => !/^[█▏▎▍▌▋▊▉░]+$/.test(word))).toEqual([])
  })
})
