/** A quota against the polls of executions that start at random, simulated. */
import { allText } from '../../../../src/report/frame/report.ts'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { PollingPolicy } from '../../../../src/scenario/polling/index.ts'
import { subjectsOf } from '../../../../src/study/polling/analyse/replay/lives.ts'
import { figuresOf, traceOf } from '../../../../src/study/polling/analyse/replay/trace.ts'
import { answerTo, goalFor } from './answers.ts'
import { AT_ONCE, SECOND, drawn, recordingOf } from './subjects.ts'
import { crowdingOf, fitsQuota } from '../../../../src/study/polling/analyse/choice/choose.ts'

const MINUTE = 60 * SECOND
const lengths = drawn(1_000, (random) => 60 * random.exponential())
const subjects = subjectsOf(recordingOf(lengths))
const policy: PollingPolicy = {
  kind: 'fixed',
  everyMicros: 4 * SECOND,
  initialDelayMicros: 4 * SECOND,
}

/** The least quota in a minute that is told to carry one execution a second. */
function leastQuota(): number {
  const trace = traceOf(subjects, () => policy, AT_ONCE)
  const { pollsMean } = figuresOf(
    trace,
    subjects.map(({ weight }) => weight),
  )
  const crowding = crowdingOf(trace, subjects, MINUTE)
  let count = 1
  while (!fitsQuota({ count, perMicros: MINUTE }, 1, { pollsMean, crowding })) count++
  return count
}

/** Polls in each minute, when executions start at random, one a second in the mean. */
function pollsInMinutes(minutes: number): number[] {
  const random = createRandom(4)
  const counts = Array.from({ length: minutes }, () => 0)
  for (let at = -600; at < minutes * 60; at += random.exponential()) {
    const length = lengths[random.int(lengths.length)]!
    for (let poll = 4; poll < length + 4; poll += 4) {
      const minute = Math.floor((at + poll) / 60)
      if (minute >= 0 && minute < minutes) counts[minute]!++
    }
  }
  return counts
}

describe('a quota that is told to be kept', () => {
  const quota = leastQuota()
  const counts = pollsInMinutes(2_000)

  test('is exceeded in few minutes', () => {
    const over = counts.filter((count) => count > quota).length / counts.length
    expect(over).toBeLessThan(0.05)
  })

  test('is not far more than it takes', () => {
    const sorted = counts.toSorted((a, b) => a - b)
    expect(quota).toBeLessThan(1.1 * sorted[Math.floor(0.975 * sorted.length)]!)
  })
})

test('polls that fit in the mean alone do not fit', () => {
  const traffic = { pollsMean: 10, crowding: 100 }
  expect(fitsQuota({ count: 600, perMicros: MINUTE }, 1, traffic)).toBe(false)
  expect(fitsQuota({ count: 760, perMicros: MINUTE }, 1, traffic)).toBe(true)
})

test('the answer says of a quota what is held, and no more', () => {
  const even = recordingOf(drawn(50, (random) => 40 + 40 * random.next()))
  const { verdict } = answerTo(even, goalFor({ maxPolls: '3000/m' }))
  expect(allText(verdict)).toContain('two standard deviations fit into 3000/m')
  expect(allText(verdict)).toContain('at most a few windows in 100 exceed it.')
})

test.each([
  ['runs of different load', 3, 1],
  ['runs whose rates differ by chance', 1.1, 0],
])('a quota is compared with the mean rate of %s', (_, perSecond, warnings) => {
  const loads = [1, perSecond].map((each) => ({ executions: 100, perSecond: each }))
  const recording = recordingOf(lengths.slice(0, 50), { loads })
  const { findings } = answerTo(recording, goalFor({ maxPolls: '9000/m' }))
  const warned = findings.filter(({ message }) => message.includes('9000/m is checked'))
  expect(warned.map(({ severity }) => severity)).toEqual(Array(warnings).fill('warning'))
})
