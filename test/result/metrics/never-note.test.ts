/** What "never" means differs by metric: who was served may still not have learned of it. */
import { expect, test } from 'vitest'
import { neverNote } from '../../../src/result/metrics/sentences.ts'

test.each([
  ['execution.p95', '40 % never ended'],
  ['detectionDelay.p95', '40 % never learned of their end'],
  ['kickoff.response.p95', '40 % were never accepted'],
])('%s that is never: %s', (metric, note) => {
  expect(neverNote({ n: 10, never: 4 }, metric)).toBe(note)
})

test('says nothing where nothing is never', () => {
  expect(neverNote({ n: 10, never: 0 }, 'execution.p95')).toBeNull()
})
