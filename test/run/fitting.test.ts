/** What one engine alone understands is refused for the others, and reaches none of them. */
import { describe, expect, it } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { demandFitting, fitting } from '../../src/run/fitting.ts'
import type { Engine, RunOptions } from '../../src/run/options.ts'
import { preparePlan } from '../../src/run/plan/prepare.ts'

const OWN: [keyof RunOptions, RunOptions, Engine, string][] = [
  ['workers', { workers: 2 }, 'node', '--workers'],
  ['network', { network: 'lan' }, 'virtual', '--network'],
  ['k6Vus', { k6Vus: 2 }, 'k6', '--k6-vus'],
  ['k6Out', { k6Out: ['json=k6.json'] }, 'k6', '--k6-out'],
  ['k6Instances', { k6Instances: 2 }, 'k6', '--instances'],
]
const ENGINES: Engine[] = ['node', 'virtual', 'k6']

function sources(options: RunOptions, engines: readonly Engine[]): string[] {
  try {
    demandFitting(options, engines)
    return []
  } catch (error) {
    if (error instanceof UserError) return error.mistakes.map(({ source }) => source)
    throw error
  }
}

describe.each(OWN)('%s', (name, options, owner, flag) => {
  const others = ENGINES.filter((engine) => engine !== owner)

  it(`goes with ${owner} alone, and among others`, () => {
    expect(sources(options, [owner])).toEqual([])
    expect(sources(options, ENGINES)).toEqual([])
    expect(sources(options, others)).toEqual([flag])
  })

  it('reaches its own engine', () => {
    expect(ENGINES.filter((engine) => fitting(options, engine)[name] !== undefined)).toEqual([
      owner,
    ])
  })

  it.each(others)('is refused by a run under %s before anything is read', async (engine) => {
    const planned = preparePlan('no-such-scenario', { ...options, engine })
    await expect(planned).rejects.toThrow(
      `${flag}: goes with --engine ${owner}, not with ${engine}`,
    )
  })
})

it('tells of all at once, and of nothing that was not said', () => {
  expect(sources({ workers: 2, k6Vus: 2, seed: 1 }, ['virtual'])).toEqual(['--workers', '--k6-vus'])
})

it.each<[RunOptions, readonly Engine[], string[]]>([
  [{ faults: 'hang: {}' }, ['virtual'], []],
  [{ faults: 'hang: {}' }, ['node'], []],
  [{ faults: 'hang: {}', workers: 2 }, ['node'], ['faults']],
  [{ faults: 'hang: {}' }, ['node', 'k6'], ['faults']],
])('faults beside those of the profile: %j under %j', (options, engines, found) => {
  expect(sources(options, engines)).toEqual(found)
})
