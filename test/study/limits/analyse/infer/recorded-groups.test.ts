/** Which part of recorded requests is explained. */
import { expect, test } from 'vitest'
import { recordedGroups } from '../../../../../src/study/limits/analyse/infer/evidence/groups.ts'
import type { LimiterAnswer } from '../../../../../src/study/limits/analyse/infer/interface.ts'

function observed(sentMs: number, tripMs: number, answer: LimiterAnswer['answer']): LimiterAnswer {
  return { sentMs, receivedMs: sentMs + tripMs, answer, headers: {} } as LimiterAnswer
}

test('the part ends where nothing is in flight: no request is left out that others met', () => {
  const recorded: LimiterAnswer[] = []
  for (let second = 0; second < 60; second++) {
    // The last two of each second are under way at once, and the later one arrives first.
    recorded.push(
      observed(second * 1_000, 4, 'accepted'),
      observed(second * 1_000 + 500, 20, 'refused'),
      observed(second * 1_000 + 505, 4, 'accepted'),
    )
  }
  const { groups } = recordedGroups(recorded, 20)
  const counts = groups.map(({ accepted, refused }) => accepted + refused)
  const sent = counts.reduce((sum, count) => sum + count, 0)
  expect(sent).toBeLessThan(recorded.length)
  expect(recorded[sent - 1]!.receivedMs).toBeLessThan(recorded[sent]!.sentMs)
})
