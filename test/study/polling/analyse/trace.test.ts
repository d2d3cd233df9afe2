/** What is said of all executions under one strategy, against plain sums. */
import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { Subject } from '../../../../src/study/polling/analyse/replay/lives.ts'
import type { TraceFigures } from '../../../../src/study/polling/analyse/replay/trace.ts'
import {
  figuresOf,
  figuresUnder,
  traceOf,
} from '../../../../src/study/polling/analyse/replay/trace.ts'
import { AT_ONCE } from './subjects.ts'

/** Ends at whole numbers: under polls every 7 many delays are the same. */
const SUBJECTS: Subject[] = [[3], [10, 24], [17], [9, 12, 40], [45], [31, 33]].map((ends) => ({
  weight: 1 / 6,
  lives: ends.map((endMicros) => ({ endMicros, deadlineMicros: 1_000, completionsMicros: null })),
}))
const EVERY_7 = { kind: 'fixed', everyMicros: 7, initialDelayMicros: 7 } as const

/** Of each end: its delay and the place of its subject, by rising delay. */
const ENDS = SUBJECTS.flatMap(({ lives }, owner) =>
  lives.map(({ endMicros }) => ({ owner, delay: (7 - (endMicros % 7)) % 7 })),
).toSorted((a, b) => a.delay - b.delay)

const trace = traceOf(SUBJECTS, () => EVERY_7, AT_ONCE)

test('delays rise, each with its subject, and equal ones in the order of the subjects', () => {
  expect([...trace.delays]).toEqual(ENDS.map(({ delay }) => delay))
  expect([...trace.owners]).toEqual(ENDS.map(({ owner }) => owner))
  expect(new Set(trace.delays).size).toBeLessThan(trace.delays.length)
})

/** As the definition says it: shares of the weight, and the first delay that reaches a level. */
function plain(weights: readonly number[]): TraceFigures {
  const parts = ENDS.map(({ owner, delay }) => {
    return { delay, share: weights[owner]! / SUBJECTS[owner]!.lives.length }
  })
  const whole = parts.reduce((sum, { share }) => sum + share, 0)
  const at = (level: number): number => {
    let reached = 0
    return parts.find(({ share }) => (reached += share) >= level * whole * (1 - 1e-9))!.delay
  }
  const polls = SUBJECTS.map(({ lives }) => {
    return lives.reduce((sum, { endMicros }) => sum + Math.ceil(endMicros / 7), 0) / lives.length
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return {
    pollsMean: polls.reduce((total, each, i) => total + each * weights[i]!, 0) / sum,
    delayMean: parts.reduce((total, { delay, share }) => total + delay * share, 0) / whole,
    delayP50: at(0.5),
    delayP95: at(0.95),
    missedShare: 0,
  }
}

test('figures are those of each weighting alone, whatever was weighed before', () => {
  const random = createRandom(3)
  const figures = figuresUnder(trace)
  for (let round = 0; round < 50; round++) {
    const weights = SUBJECTS.map(() => random.int(4))
    weights[random.int(weights.length)]!++
    const seen = figures(weights)
    expect(seen).toEqual(figuresOf(trace, weights))
    const wanted = plain(weights)
    expect([seen.delayP50, seen.delayP95]).toEqual([wanted.delayP50, wanted.delayP95])
    expect(seen.delayMean).toBeCloseTo(wanted.delayMean, 10)
    expect(seen.pollsMean).toBeCloseTo(wanted.pollsMean, 10)
  }
})

test('an end that no poll sees before the deadline is missed, and as late as without a deadline', () => {
  const lives = [17, 20, 22].map((endMicros) => {
    return { endMicros, deadlineMicros: 21, completionsMicros: null }
  })
  const [few, one] = [lives, [SUBJECTS[0]!.lives[0]!]]
  const subjects = [
    { weight: 0.5, lives: few },
    { weight: 0.5, lives: one },
  ]
  // Polls at 7 and 14: all three would be seen at 21 or 28 only.
  const seen = traceOf(subjects, () => EVERY_7, AT_ONCE)
  expect([...seen.polls]).toEqual([2, 1])
  expect([...seen.delays]).toEqual([1, 4, 4, 6])
  expect(figuresOf(seen, [0.5, 0.5]).missedShare).toBeCloseTo(0.5, 10)
  expect(figuresOf(seen, [0, 1]).missedShare).toBe(0)
})
