/** What "never" means differs by metric: who was served may still not have learned of it. */
import { expect, test } from 'vitest'
import { neverNote } from '../../../src/result/metrics/sentences.ts'

test.each([
  ['execution', '40 % never ended'],
  ['detectionDelay', '40 % never learned of their end'],
  ['kickoffResponse', '40 % were never accepted'],
] as const)('%s that is never: %s', (kind, note) => {
  expect(neverNote({ n: 10, never: 4 }, kind)).toBe(note)
})

test('says nothing where nothing is never', () => {
  expect(neverNote({ n: 10, never: 0 }, 'execution')).toBeNull()
})
