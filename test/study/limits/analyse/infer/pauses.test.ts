/**
 * A target and a client that share a processor with other work pause at times, just when requests
 * come. When a window began is then known no better than the pause was long.
 */
import { expect, test } from 'vitest'
import { inferIn } from '../../../../../bench/truth/limits/trial.ts'
import { profileWorld } from '../../profile-world.ts'

const WINDOW = 'fixedWindow: { limit: 7, window: 3s, from: first hit }'
const WINDOW_MS = 3_000

test.each([
  [0.3, 40, 44],
  [0.6, 60, 39],
  [0.6, 60, 73],
])('of the moments of sending %d are paused after for up to %i ms (seed %i)', (share, ms, seed) => {
  const pauses = { share, mostMs: ms }
  const world = profileWorld(WINDOW, seed, { jitterMs: 1, serviceMs: () => 0.3, pauses })
  const { outcome, finding } = inferIn(world, seed).conclusion
  expect(outcome).toBe('settled')
  expect(finding).toMatchObject({ kind: 'fixed-window', limit: { value: 7 } })
  expect(finding.windowMs!.low).toBeLessThanOrEqual(WINDOW_MS)
  expect(finding.windowMs!.high).toBeGreaterThanOrEqual(WINDOW_MS)
})
