/** The profile `chaos`: every kind of fault at once, and each seed has its one story. */
import { expect, test } from 'vitest'
import { FAULT_KIND_NAMES } from '../../../fake-crew/model/faults/kinds/list.ts'
import { loadProfile } from '../../../fake-crew/profiles.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { run } from '../../../src/run/run.ts'
import { defineScenario } from '../../../src/scenario/define.ts'

const scenario = defineScenario({
  name: 'chaos',
  arrivals: { rate: '5/s', for: '12s', process: 'poisson' },
  inputs: { topic: 'storms', audience: 'sailors' },
  polling: { fixed: '200ms' },
  deadline: '5s',
  confirm: '50%',
  timeouts: { request: '1s', firstCall: '20s' },
})

async function chaos(seed: number): Promise<ResultDocument> {
  const options = { profile: 'chaos', engine: 'virtual', out: false, seed } as const
  return (await run(scenario, options)).document
}

test('has every kind of fault', () => {
  const kinds = new Set(loadProfile('chaos').faults.map(({ what }) => what.kind))
  expect([...kinds].toSorted()).toEqual([...FAULT_KIND_NAMES].toSorted())
})

test('brings a client to most outcomes within a minute or two', async () => {
  const documents = await Promise.all([1, 2, 3, 4, 5].map(chaos))
  const happened = documents.flatMap(({ outcomes }) =>
    Object.entries(outcomes).flatMap(([outcome, count]) => (count > 0 ? [outcome] : [])),
  )
  const wanted = ['completed', 'failed', 'rejected', 'unknown', 'lost', 'stuck']
  expect([...new Set(happened)]).toEqual(expect.arrayContaining(wanted))
})

test('the same seed has the same story', async () => {
  const [one, again] = [await chaos(7), await chaos(7)]
  expect(again.outcomes).toEqual(one.outcomes)
  expect(again.errors).toEqual(one.errors)
})
