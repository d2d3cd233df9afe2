/** A limiter for Express in simulated time leaves Express as it was for others of its process. */
import { afterEach, expect, test, vi } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { StrangerWorld } from './stranger-world.ts'
import { expressRateLimit, startStranger } from './strangers.ts'

afterEach(() => void vi.useRealTimers())

test('an app of Express answers over sockets after an experiment', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const network = { jitterMs: 1, stalls: { share: 0, mostMs: 0 }, random: createRandom(1) }
  const world = new StrangerWorld(expressRateLimit(12, 3_000), network)
  await world.conduct({
    kind: 'experiment',
    purpose: '',
    startMs: 0,
    sends: [{ afterMs: 0, count: 2 }],
    until: null,
    isDrain: false,
  })
  expect(world.evidence).toHaveLength(2)
  vi.useRealTimers()
  await using crew = await startStranger(expressRateLimit(12, 3_000))
  expect((await fetch(`${crew.url}/inputs`)).status).toBe(200)
})
