/** What is named as the nearest that is possible is answered when it is asked for. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { PollingDocument } from '../../../../src/study/polling/document.ts'
import { answerTo, goalFor } from './answers.ts'
import { drawn, recordingOf } from './subjects.ts'
import { areExperimentsRun } from '../../../experiments.ts'

interface Goals {
  maxPolls?: string
  delay?: string
}

/** A recording of the seed, and goals that no strategy keeps over it. */
function studyOf(seed: number): { goals: Goals; ask: (goals: Goals) => PollingDocument } {
  const random = createRandom(seed)
  const [shortest, spread] = [5 + random.int(20), 5 + random.int(60)]
  const lengths = drawn(15 + random.int(60), (own) => shortest + spread * own.next() ** 2, seed)
  const requestMicros = [5_000, 8_000, 20_000]
  const recording = recordingOf(lengths, { requestMicros, arrivalsPerSecond: 0.2 + random.next() })
  const ask = (goals: Goals): PollingDocument => answerTo(recording, goalFor(goals))
  const maxPolls = `${5 + random.int(5)}/m`
  const delay = `${['p95', 'mean'][random.int(2)]} < ${[2, 300, 900][random.int(3)]}ms`
  return { goals: [{ maxPolls }, { delay: 'p95 < 2ms' }, { maxPolls, delay }][seed % 3]!, ask }
}

const count = (rate: string): number => Number.parseFloat(rate)

describe.each(areExperimentsRun ? [1, 2, 3] : [2])('seed %i', (seed) => {
  const { goals, ask } = studyOf(seed)
  const { verdict } = ask(goals)
  const { maxPolls, delay, both } = verdict.nearest!
  const nearer = [
    ...(maxPolls === null ? [] : [{ ...goals, maxPolls }]),
    ...(delay === null ? [] : [{ ...goals, delay }]),
    ...(both === null ? [] : [both]),
  ]

  test(`${JSON.stringify(goals)} is impossible, and something near it is not`, () => {
    expect(verdict.outcome).toBe('impossible')
    expect(nearer.length).toBeGreaterThan(0)
    const bounds = Object.values(goals)
    const { nearest } = verdict
    expect(verdict.reasons).toMatchObject([{ code: 'impossible', bounds, nearest, seen: true }])
    for (const text of [maxPolls, delay, both?.maxPolls, both?.delay]) {
      expect(verdict.reasons[0]!.remedy).toContain(text ?? '')
    }
  })

  test.each(nearer)('%j is answered', (asked) => {
    expect(ask(asked).verdict).toMatchObject({ outcome: 'answered', nearest: null })
  })

  test.runIf(both !== null)('of both goals, each gives way by less than alone', () => {
    expect(count(both!.maxPolls)).toBeLessThan(count(maxPolls ?? 'Infinity'))
    expect(count(both!.maxPolls)).toBeGreaterThan(count(goals.maxPolls!))
  })
})
