/**
 * The alarm of lateness on a run in progress: where the verdict would count it, and nowhere else.
 */
import { expect, test } from 'vitest'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import { createRecorder } from '../../../src/result/counting/recorder.ts'
import { latenessWatch } from '../../../src/run/progress.ts'
import type { Plan } from '../../../src/scenario/plan.ts'
import type { RunOptions } from '../../result/lines.ts'
import { journalLines } from '../../result/lines.ts'
import { testPlan, testThreshold } from '../../support/plan.ts'

const spoil: NonNullable<RunOptions['spoil']> = (record) => {
  record.kickoff.lateMicros.fill(20_000)
  record.acceptedMicros = record.intendedMicros + 23_000
}

/** Kickoffs are sent 20 ms late and accepted 23 ms after they were due; executions take 2 s. */
function boundExceeded(plan: Plan): number | null {
  const recorder = createRecorder()
  for (const line of journalLines({ executions: 200, spoil })) recorder.record(line)
  const exceeded = latenessWatch(plan, recorder)()
  recorder.destroy()
  return exceeded
}

function planWith(boundMs: number): Plan {
  return testPlan({
    thresholds: [testThreshold('kickoff.response.p95', boundMs * MICROS_PER_MS)],
    validity: {
      latenessP99Micros: 10_000,
      latenessShare: 0.05,
      utilisation: 0.7,
      littleResidual: 0.05,
    },
  })
}

test.each([
  ['keeps the bound with its lateness counted in', 500, null],
  ['would keep it without its lateness', 10, 10_000],
])('a threshold on kickoffs that %s', (_, boundMs, exceeded) => {
  expect(boundExceeded(planWith(boundMs))).toBe(exceeded)
})

test('a resumed run sends no kickoff, and raises no alarm', () => {
  expect(latenessWatch(planWith(10), null)()).toBeNull()
})
