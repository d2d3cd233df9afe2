/** Every fault at once: whatever happens, each arrival has one outcome, and nothing hangs, throws or is left open. */
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { loadProfile } from '../../../fake-crew/profiles.ts'
import { REACH } from '../../../fake-crew/model/faults/fault.ts'
import type { ResultDocument } from '../../../src/analysis/document.ts'
import { run } from '../../../src/run/run.ts'
import { defineScenario } from '../../../src/scenario/define.ts'

const VIRTUAL_SEEDS = 50
const SOCKET_SEEDS = [1, 2]

const scenario = defineScenario({
  name: 'chaos',
  arrivals: { rate: '5/s', for: '12s', process: 'poisson' },
  inputs: { topic: 'storms', audience: 'sailors' },
  polling: { fixed: '200ms' },
  deadline: '5s',
  confirm: '50%',
  timeouts: { request: '1s', firstCall: '20s' },
  validity: { lateness: '60s', utilisation: 1, little: 1 },
})

function sum(outcomes: ResultDocument['outcomes']): number {
  return Object.values(outcomes).reduce((total, count) => total + count, 0)
}

describe('the profile chaos', () => {
  test('has every kind of fault', () => {
    const kinds = new Set(loadProfile('chaos').faults.map(({ what }) => what.kind))
    expect([...kinds].toSorted()).toEqual(Object.keys(REACH).toSorted())
  })

  test('in virtual time: outcomes sum to the arrivals, whatever the seed', async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= VIRTUAL_SEEDS; seed++) {
      const options = { profile: 'chaos', engine: 'virtual', out: false, seed } as const
      const { document } = await run(scenario, options)
      expect(sum(document.outcomes)).toBe(document.arrivals)
      expect(document.run.stopped).toBeNull()
      const happened = Object.entries(document.outcomes).filter(([, count]) => count > 0)
      for (const [outcome] of happened) seen.add(outcome)
    }
    for (const outcome of ['completed', 'failed', 'rejected', 'unknown', 'lost', 'stuck']) {
      expect(seen).toContain(outcome)
    }
  })

  test('in virtual time the same seed has the same story', async () => {
    const options = { profile: 'chaos', engine: 'virtual', out: false, seed: 7 } as const
    const [one, again] = [await run(scenario, options), await run(scenario, options)]
    expect(again.document.outcomes).toEqual(one.document.outcomes)
    expect(again.document.errors).toEqual(one.document.errors)
  })

  test.each(SOCKET_SEEDS)(
    'over sockets, seed %i',
    async (seed) => {
      const crew = await startFakeCrew({ profile: 'chaos', seed })
      const options = { target: crew.url, tokens: [crew.token], out: false, seed } as const
      const { document } = await run(scenario, { ...options, set: { 'arrivals.for': '3s' } })
      await crew.stop()
      expect(sum(document.outcomes)).toBe(document.arrivals)
      expect(document.arrivals).toBeGreaterThan(0)
    },
    60_000,
  )
})
