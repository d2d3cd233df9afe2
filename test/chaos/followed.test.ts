/**
 * What a crew keeps of status requests that repeat changes no answer: the journals and ledgers of
 * runs by chance are the same to the byte, with and without it.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { Followed } from '../../fake-crew/model/followed.ts'
import { DEFAULT_NETWORK_NAME } from '../../src/host/virtual/index.ts'
import { leftBy, seeds } from './support.ts'
import type { Weather } from './weather.ts'
import { weatherOf } from './weather.ts'
import { areExperimentsRun } from '../experiments.ts'

const RUNS = areExperimentsRun ? 40 : 10

afterEach(() => vi.restoreAllMocks())

const answer: Followed['answer'] = Reflect.get(Followed.prototype, 'answer')

/** A crew with limits or faults answers every request anew: these crews have none. */
function followable({ profile, ...weather }: Weather): Weather {
  const { limits: _limits, ...rest } = profile
  return { ...weather, profile: rest, faults: [] }
}

// Without a network, all that a request leads to happens at one time: order alone tells them apart.
test.each([DEFAULT_NETWORK_NAME, 'wan', 'none'])('in the network %s', async (network) => {
  let followed = 0
  for (const seed of seeds(1, RUNS)) {
    const weather = followable(weatherOf(seed))
    const spy = vi.spyOn(Followed.prototype, 'answer').mockReturnValue(null)
    const anew = await leftBy(weather, network)
    spy.mockImplementation(function count(this: Followed, nowMicros) {
      const content = answer.call(this, nowMicros)
      if (content !== null) followed++
      return content
    })
    expect(await leftBy(weather, network), `seed ${seed}`).toEqual(anew)
  }
  expect(followed).toBeGreaterThan(10 * RUNS)
})
