/** How long the study waits before it asks again, while it is refused. */
import { expect, test } from 'vitest'
import { groupsOf } from '../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import type { LimiterAnswer } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { watchPlan } from '../../../../../src/study/limits/analyse/infer/plan/plans.ts'

function refusedAt(sentMs: number): LimiterAnswer {
  return { sentMs, receivedMs: sentMs + 10, answer: 'refused', status: 429, headers: {} }
}

test.each([
  ['after some were let in', [{ ...refusedAt(0), answer: 'accepted' as const, status: 200 }]],
  ['where none has ever been let in', []],
])('pauses grow with the time for which all are refused, %s', (_, before) => {
  const evidence = [...before, ...[200, 300, 500, 1_000, 10_200].map(refusedAt)]
  const nowMs = 10_210
  const { startMs } = watchPlan(groupsOf(evidence), nowMs)
  expect(startMs - nowMs).toBeGreaterThan(4_900)
})
