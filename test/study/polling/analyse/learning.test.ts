/** What is told of a schedule that was learned: beside it, what was learned without each execution. */
import { expect, test } from 'vitest'
import { createRandom, inverseNormal } from '../../../../src/base/random.ts'
import type { StrategyCandidate } from '../../../../src/study/polling/analyse/choice/candidates.ts'
import { candidatesOf, unlearned } from '../../../../src/study/polling/analyse/choice/candidates.ts'
import type { Estimated } from '../../../../src/study/polling/analyse/choice/estimate.ts'
import {
  estimateOf,
  judgedOf,
  resamplesOf,
} from '../../../../src/study/polling/analyse/choice/estimate.ts'
import { subjectsOf } from '../../../../src/study/polling/analyse/replay/lives.ts'
import { figuresOf, traceOf } from '../../../../src/study/polling/analyse/replay/trace.ts'
import { AT_ONCE, SECOND, drawn, recordingOf } from './subjects.ts'
import { withoutLearning } from '../../../../src/study/polling/analyse/choice/replays.ts'

interface Told {
  /** Before and after the correction. */
  own: Estimated
  told: Estimated
  /** The mean delay under the schedule itself, and under those learned without each execution. */
  itselfMicros: number
  heldOutMicros: number
}

/** Some of the schedules that are learned from a lognormal crew. */
function learnedFrom(executions: number): Told[] {
  const lengths = drawn(executions, (random) => 60 * Math.exp(0.76 * inverseNormal(random.next())))
  const subjects = subjectsOf(recordingOf(lengths))
  const resamples = resamplesOf(subjects, createRandom(1))
  const told = (candidate: StrategyCandidate): Told => {
    const own = estimateOf(candidate, subjects, resamples, AT_ONCE)
    const meanUnder = (policyOf: NonNullable<StrategyCandidate['heldOutOf']>): number =>
      figuresOf(traceOf(subjects, policyOf, AT_ONCE), resamples.whole).delayMean
    return {
      own,
      told: withoutLearning(own, subjects, resamples, AT_ONCE),
      itselfMicros: meanUnder(() => candidate.policy),
      heldOutMicros: meanUnder(candidate.heldOutOf!),
    }
  }
  const learned = candidatesOf(subjects, 0).filter(({ heldOutOf }) => heldOutOf !== null)
  return learned.filter((_, i) => i % 40 === 20).map(told)
}

test('from 1,000 executions on, the longer of both is told, and the band follows', () => {
  const all = learnedFrom(1_000)
  for (const { own, told, itselfMicros, heldOutMicros } of all) {
    expect(own.value.delayMean).toBeCloseTo(itselfMicros, 3)
    expect(told.value.delayMean).toBeCloseTo(Math.max(itselfMicros, heldOutMicros), 3)
    expect(told.low.delayMean).toBe(own.low.delayMean)
    const factor = told.value.delayMean / own.value.delayMean
    expect(told.high.delayMean / own.high.delayMean).toBeCloseTo(factor, 9)
    expect(told.high.delayP95 / own.high.delayP95).toBeCloseTo(factor, 9)
  }
  expect(all.some(({ itselfMicros, heldOutMicros }) => heldOutMicros > itselfMicros)).toBe(true)
})

test('below, what was learned without each is told, and the band reaches to the schedule', () => {
  const all = learnedFrom(500)
  for (const { own, told, itselfMicros, heldOutMicros } of all) {
    expect(told.value.delayMean).toBeCloseTo(heldOutMicros, 3)
    const factor = Math.min(1, itselfMicros / heldOutMicros)
    expect(told.low.delayMean / own.low.delayMean).toBeCloseTo(factor, 9)
    expect(told.high).toBe(own.high)
  }
  expect(all.some(({ itselfMicros, heldOutMicros }) => itselfMicros < heldOutMicros)).toBe(true)
})

test('where ends are spread, the middle of both is told, and strategies are ranked without it', () => {
  const all = learnedFrom(50)
  for (const { own, told, itselfMicros, heldOutMicros } of all) {
    const { value, low, high } = told
    expect(value.delayMean).toBeCloseTo(Math.sqrt(itselfMicros * heldOutMicros), 3)
    expect(judgedOf(told).delayMean).toBeCloseTo(judgedOf(own).delayMean, 3)
    expect(low.delayMean).toBeLessThanOrEqual(value.delayMean)
    expect(high.delayMean).toBeGreaterThanOrEqual(value.delayMean)
  }
  expect(all.some(({ itselfMicros, heldOutMicros }) => itselfMicros < heldOutMicros)).toBe(true)
  expect(all.some(({ itselfMicros, heldOutMicros }) => itselfMicros > heldOutMicros)).toBe(true)
})

test('a strategy that is not learned is told as it is', () => {
  const subjects = subjectsOf(recordingOf(drawn(1_000, (random) => 60 * random.next())))
  const resamples = resamplesOf(subjects, createRandom(1))
  const everyMicros = 5 * SECOND
  const fixed = unlearned('fixed', { kind: 'fixed', everyMicros, initialDelayMicros: everyMicros })
  const own = estimateOf(fixed, subjects, resamples, AT_ONCE)
  expect(withoutLearning(own, subjects, resamples, AT_ONCE)).toBe(own)
})
