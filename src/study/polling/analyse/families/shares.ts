/** A schedule whose polls come at equal shares of the executions: each sees as many ends. */
import type { Micros } from '../../../../base/units.ts'
import type { PollingFamily } from './family.ts'
import { stretchesOf, totalWeight } from './pieces.ts'
import { POLL_NUMBERS, toSchedule } from './schedule.ts'
import type { SampleShape } from './shape.ts'

export const shares: PollingFamily = {
  words: 'schedule',
  learned: true,
  policies: (shape) => {
    const total = totalWeight(stretchesOf(shape).flat())
    return POLL_NUMBERS.map((polls) => toSchedule(timesOf(shape, polls), total / polls, shape))
  },
}

function timesOf({ quantile }: SampleShape, polls: number): Micros[] {
  return Array.from({ length: polls }, (_, i) => quantile((i + 1) / polls))
}
