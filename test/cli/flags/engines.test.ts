/** A flag of one engine reaches that engine alone, and is refused where the engine is not named. */
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { enginesOf } from '../../../src/cli/flags/engines.ts'
import { parseEngines } from '../../../src/run/engines.ts'
import type { Engine, EngineName } from '../../../src/run/options.ts'

type Flags = Omit<Parameters<typeof enginesOf>[0], 'engine'>

const OWN: [Flags, Engine, string][] = [
  [{ workers: 2 }, { kind: 'node', workers: 2 }, '--workers'],
  [{ network: 'lan' }, { kind: 'virtual', network: 'lan' }, '--network'],
  [{ k6Vus: 2 }, { kind: 'k6', vus: 2 }, '--k6-vus'],
  [{ k6Out: ['json=k6.json'] }, { kind: 'k6', out: ['json=k6.json'] }, '--k6-out'],
  [{ instances: 2 }, { kind: 'k6', instances: 2 }, '--instances'],
]
const KINDS: EngineName[] = ['node', 'virtual', 'k6']

function engines(names: string, flags: Flags): Engine[] {
  return enginesOf({ engine: parseEngines(names), ...flags }).map(({ engine }) => engine)
}

function mistakes(names: string, flags: Flags): string[] {
  try {
    engines(names, flags)
    return []
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n')
    throw error
  }
}

describe.each(OWN)('%j', (flags, own, flag) => {
  test('reaches its own engine, and none beside it', () => {
    const others = KINDS.filter((kind) => kind !== own.kind)
    expect(engines([own.kind, ...others].join(','), flags)).toEqual([
      own,
      ...others.map((kind) => ({ kind })),
    ])
  })

  test.each(KINDS.filter((kind) => kind !== own.kind))('is refused where only %s runs', (kind) => {
    const found = Object.values(flags).map(String).join()
    expect(mistakes(kind, flags)).toEqual([
      `${flag}: only allowed with --engine ${own.kind}, not with ${kind} (found ${found})`,
    ])
  })
})

test('tells of all flags at once', () => {
  expect(mistakes('virtual,virtual', { workers: 2, k6Vus: 2 })).toEqual([
    '--workers: only allowed with --engine node, not with virtual (found 2)',
    '--k6-vus: only allowed with --engine k6, not with virtual (found 2)',
  ])
})

test('lets a number behind the name count more than the flag', () => {
  expect(engines('node,node:4', { workers: 2 })).toEqual([
    { kind: 'node', workers: 2 },
    { kind: 'node', workers: 4 },
  ])
})
