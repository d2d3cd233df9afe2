/** Each engine finds out, when everything has ended, whether the target is still there. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunOptions } from '../../src/run/index.ts'
import { k6OrSkip } from '../support/k6/k6.ts'
import { bench, linesOf } from './bench.ts'

const k6 = await k6OrSkip('the liveness probes of k6')

/** From the first second on every answer is a 502. */
const DYING = {
  description: 'dying',
  inputs: ['topic', 'audience'],
  tasks: [{ id: 'write', agent: 'Writer', duration: { constant: '100ms' } }],
  faults: [{ name: 'outage', status: { code: 502 }, window: { from: '1s', for: '10m' } }],
}

async function probesOf(profile: object | string, options: RunOptions): Promise<unknown[]> {
  await using place = await bench()
  const file = await place.scenario(`deadline: '2s', retry: 'none',`)
  const path = join(place.path, 'profile.yaml')
  await writeFile(path, JSON.stringify(profile))
  const chosen = typeof profile === 'string' ? profile : path
  const { lines } = await place.run(file, { profile: chosen, seed: 3, ...options })
  return linesOf(lines, 'finding')
    .toSorted((a, b) => a.instance - b.instance)
    .flatMap(({ finding, instance }) =>
      finding.kind === 'target-probed' ? [{ instance, ...finding }] : [],
    )
}

const ENGINES: [string, RunOptions, number][] = [
  ['node', { engine: 'node' }, 1],
  ['virtual', { engine: 'virtual' }, 1],
]

function everyInstance(instances: number, found: object): object[] {
  const kind = 'target-probed'
  return Array.from({ length: instances }, (_, instance) => ({ instance, kind, ...found }))
}

describe.concurrent.each(ENGINES)('%s', (_, options, instances) => {
  test('asks a dead target three times', async () => {
    expect(await probesOf(DYING, options)).toEqual(
      everyInstance(instances, { usable: false, probes: 3, last: 502 }),
    )
  })

  test('asks nothing of one that answered to the end', async () => {
    expect(await probesOf('fast', options)).toEqual(
      everyInstance(instances, { usable: true, probes: 0, last: 200 }),
    )
  })
})

describe.skipIf(k6 === null).concurrent('k6', () => {
  test('asks a dead target from each VU', async () => {
    const found = await probesOf(DYING, { engine: { kind: 'k6', vus: 2 } })
    expect(found).toEqual(everyInstance(2, { usable: false, probes: 3, last: 502 }))
  })
})
