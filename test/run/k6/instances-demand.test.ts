/** k6 processes that cannot be had are refused before anything is started. */
import { expect, it } from 'vitest'
import { UserError } from '../../../src/mistakes.ts'
import { demandInstances } from '../../../src/run/k6/instances-demand.ts'
import type { RunOptions } from '../../../src/run/options.ts'

function refused(options: RunOptions): string[] {
  try {
    demandInstances(options)
    return []
  } catch (error) {
    if (error instanceof UserError) return error.mistakes.map(({ source }) => source)
    throw error
  }
}

it.each<[string, RunOptions, string[]]>([
  ['nothing asked', {}, []],
  ['one VU each', { engine: 'k6', k6Instances: 4 }, []],
  ['two VUs each', { engine: 'k6', k6Instances: 4, k6Vus: 8 }, []],
  ['VUs that do not divide', { engine: 'k6', k6Instances: 4, k6Vus: 6 }, ['--k6-vus']],
  ['fewer VUs than processes', { engine: 'k6', k6Instances: 4, k6Vus: 2 }, ['--k6-vus']],
  ['none', { engine: 'k6', k6Instances: 0 }, ['--instances']],
  ['too many', { engine: 'k6', k6Instances: 65 }, ['--instances']],
  ['a fraction', { engine: 'k6', k6Instances: 1.5 }, ['--instances']],
  ['another engine', { k6Instances: 2 }, ['--instances']],
  ['two mistakes', { k6Instances: 2, k6Vus: 3 }, ['--instances', '--k6-vus']],
])('%s', (_, options, sources) => {
  expect(refused(options)).toEqual(sources)
})
