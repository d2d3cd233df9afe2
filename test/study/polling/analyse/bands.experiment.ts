/**
 * What is predicted for a strategy that was fitted to the executions, and chosen by them, against
 * executions that it has not seen.
 */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { inverseNormal } from '../../../../src/base/random.ts'
import { polling as pollingOption } from '../../../../src/scenario/schema/scenario.ts'
import { subjectsOf } from '../../../../src/study/polling/analyse/replay/lives.ts'
import { figuresOf, traceOf } from '../../../../src/study/polling/analyse/replay/trace.ts'
import { answerTo } from './answers.ts'
import { AT_ONCE, drawn, recordingOf } from './subjects.ts'

const CREWS: readonly ((random: Random) => number)[] = [
  (random) => 60 * Math.exp(0.76 * inverseNormal(random.next())),
  (random) => 60 * Math.exp(0.3 * inverseNormal(random.next())),
  (random) => 10 + 100 * random.next(),
  (random) => 30 * (random.exponential() + random.exponential()),
]
const OTHERS = 20_000

interface Bands {
  /** The mean delay of others over the one that is told, minus 1. */
  deviation: number
  isInBand: boolean
}

function bandsOf(crew: (random: Random) => number, executions: number, seed: number): Bands {
  const { recommended } = answerTo(recordingOf(drawn(executions, crew, seed)))
  const policy = pollingOption.parse(recommended!.polling)
  const others = subjectsOf(recordingOf(drawn(OTHERS, crew, 1_000 + seed)))
  const weights = others.map(({ weight }) => weight)
  const { delayMean } = figuresOf(
    traceOf(others, () => policy, AT_ONCE),
    weights,
  )
  const { mean, meanLow, meanHigh } = recommended!.detectionDelayMs!
  const trueMs = delayMean / 1_000
  return { deviation: trueMs / mean - 1, isInBand: trueMs >= meanLow && trueMs <= meanHigh }
}

const SEEDS = [1, 2]

/** From 1,000 on, it is learned in parts. */
describe.each([600, 1_000])('%d executions', (executions) => {
  const told = CREWS.flatMap((crew) => SEEDS.map((seed) => bandsOf(crew, executions, seed)))

  test('the mean delay is not told as shorter than it is', () => {
    const mean = told.reduce((sum, { deviation }) => sum + deviation, 0) / told.length
    expect(mean).toBeLessThan(0.01)
    expect(mean).toBeGreaterThan(-0.02)
  })

  test('its band of 95 % holds it', () => {
    expect(told.filter(({ isInBand }) => isInBand).length).toBeGreaterThanOrEqual(told.length - 1)
  })
})
