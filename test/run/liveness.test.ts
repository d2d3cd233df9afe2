/** Each engine finds out, when everything has ended, whether the target is still there. */
import { describe, expect, test } from 'vitest'
import type { WrittenProfile } from '../../fake-crew/index.ts'
import type { RunOptions } from '../../src/run/index.ts'
import { k6OrSkip } from '../support/k6/k6.ts'
import { bench, linesOf } from './bench.ts'

const k6 = await k6OrSkip('the liveness probes of k6')

/** From the first second on every answer is a 502. */
const DYING: WrittenProfile = {
  inputs: ['topic', 'audience'],
  tasks: [{ id: 'write', agent: 'Writer', duration: { constant: '100ms' } }],
  faults: [{ name: 'outage', status: { code: 502 }, window: { from: '1s', for: '10m' } }],
}

async function probesOf(options: RunOptions): Promise<unknown[]> {
  await using place = await bench()
  const file = await place.scenario(`deadline: '2s', retry: 'none',`)
  const { lines } = await place.run(file, { seed: 3, ...options })
  return linesOf(lines, 'incident')
    .toSorted((a, b) => a.instance - b.instance)
    .flatMap(({ incident, instance }) =>
      incident.kind === 'target-probed' ? [{ instance, ...incident }] : [],
    )
}

function everyInstance(instances: number, found: object): object[] {
  const kind = 'target-probed'
  return Array.from({ length: instances }, (_, instance) => ({ instance, kind, ...found }))
}

describe.concurrent.each(['node', 'virtual'] as const)('%s', (engine) => {
  test('asks a dead target three times', async () => {
    expect(await probesOf({ engine, profile: DYING })).toEqual(
      everyInstance(1, { usable: false, probes: 3, last: 502 }),
    )
  })

  test('asks nothing of one that answered to the end', async () => {
    expect(await probesOf({ engine, profile: 'fast' })).toEqual(
      everyInstance(1, { usable: true, probes: 0, last: 200 }),
    )
  })
})

describe.skipIf(k6 === null).concurrent('k6', () => {
  test('asks a dead target from each VU', async () => {
    const found = await probesOf({ engine: { kind: 'k6', vus: 2 }, profile: DYING })
    expect(found).toEqual(everyInstance(2, { usable: false, probes: 3, last: 502 }))
  })
})
