import { expect, test } from 'vitest'
import type { CpuTimes } from '../../../../../src/study/saturation/conduct/ladder/visit.ts'
import {
  cpuTimesOf,
  stolenMeter,
} from '../../../../../src/study/saturation/conduct/ladder/visit.ts'

const STAT = `cpu  100 20 30 9000 400 5 6 39 50 7
cpu0 50 10 15 4500 200 2 3 20 25 3
intr 1 2 3
`

test('what was wanted is everything but idleness and waiting, guests counted once', () => {
  expect(cpuTimesOf(STAT)).toEqual({ wanted: 100 + 20 + 30 + 5 + 6 + 39, stolen: 39 })
})

test.each(['', 'cpu0 1 2 3 4 5 6 7 8\n', 'cpu  1 2 3 4\n', 'cpu  0 0 0 0 0 0 0 0 0 0\n'])(
  '%j says nothing',
  (text) => {
    expect(cpuTimesOf(text)).toBeNull()
  },
)

function meterOf(...readings: (CpuTimes | null)[]): () => number | null {
  return stolenMeter(() => readings.shift() ?? null)
}

test('the share is of what was wanted since the last reading', () => {
  const meter = meterOf(
    { wanted: 1_000, stolen: 500 },
    { wanted: 1_100, stolen: 510 },
    { wanted: 1_100, stolen: 510 },
  )
  expect(meter()).toBe(0.1)
  expect(meter()).toBe(0)
})

test('it is unknown where the system does not say', () => {
  expect(meterOf(null, null)()).toBeNull()
})
