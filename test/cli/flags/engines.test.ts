/** A flag of one engine reaches that engine, and is refused with every other. */
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import { engineOf } from '../../../src/cli/flags/engines.ts'
import type { Engine, EngineName } from '../../../src/run/options.ts'

type Flags = Omit<Parameters<typeof engineOf>[0], 'engine'>

const OWN: [Flags, Engine, string][] = [
  [{ network: 'lan' }, { kind: 'virtual', network: 'lan' }, '--network'],
  [{ k6Vus: 2 }, { kind: 'k6', vus: 2 }, '--k6-vus'],
  [{ k6Out: ['json=k6.json'] }, { kind: 'k6', out: ['json=k6.json'] }, '--k6-out'],
  [{ instances: 2 }, { kind: 'k6', instances: 2 }, '--instances'],
]
const KINDS: EngineName[] = ['node', 'virtual', 'k6']

function mistakes(kind: EngineName, flags: Flags): string[] {
  try {
    engineOf({ engine: { kind }, ...flags }, 'node')
    return []
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n')
    throw error
  }
}

describe.each(OWN)('%j', (flags, own, flag) => {
  test('reaches its own engine, named or not', () => {
    expect(engineOf({ engine: { kind: own.kind }, ...flags }, 'node')).toEqual(own)
    expect(engineOf(flags, own.kind)).toEqual(own)
  })

  test.each(KINDS.filter((kind) => kind !== own.kind))('is refused where only %s runs', (kind) => {
    const found = Object.values(flags).map(String).join()
    expect(mistakes(kind, flags)).toEqual([
      `${flag}: only allowed with --engine ${own.kind}, not with ${kind} (found ${found})`,
    ])
  })
})

test('tells of all flags at once', () => {
  expect(mistakes('virtual', { k6Vus: 2, instances: 3 })).toEqual([
    '--k6-vus: only allowed with --engine k6, not with virtual (found 2)',
    '--instances: only allowed with --engine k6, not with virtual (found 3)',
  ])
})
