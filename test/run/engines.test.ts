/** An option of one engine reaches that engine, and is refused with every other. */
import { describe, expect, test } from 'vitest'
import type { AskedEngine, Engine, EngineName } from '../../src/run/options.ts'
import { askedEngine } from '../../src/run/options.ts'
import { toldMistakes } from '../support/mistakes.ts'

/** With the option as a message repeats it: an output of k6 may hold a password. */
const OWN: [AskedEngine, Engine, string, string][] = [
  [{ network: 'lan' }, { kind: 'virtual', network: 'lan' }, '--network', 'lan'],
  [{ vus: 2 }, { kind: 'k6', vus: 2 }, '--k6-vus', '2'],
  [{ out: ['json=k6.json'] }, { kind: 'k6', out: ['json=k6.json'] }, '--k6-out', 'json=***'],
  [{ instances: 2 }, { kind: 'k6', instances: 2 }, '--instances', '2'],
]
const KINDS: EngineName[] = ['node', 'virtual', 'k6']

function mistakes(asked: AskedEngine): string[] {
  return toldMistakes(() => askedEngine(asked, 'node'))
}

describe.each(OWN)('%j', (asked, own, flag, found) => {
  test('reaches its own engine, named or not', () => {
    expect(askedEngine({ kind: own.kind, ...asked }, 'node')).toEqual(own)
    expect(askedEngine(asked, own.kind)).toEqual(own)
  })

  test.each(KINDS.filter((kind) => kind !== own.kind))('is refused where only %s runs', (kind) => {
    expect(mistakes({ kind, ...asked })).toEqual([
      `${flag}: only allowed with --engine ${own.kind}, not with ${kind} (found ${found})`,
    ])
  })
})

test('tells of all flags at once', () => {
  expect(mistakes({ kind: 'virtual', vus: 2, instances: 3 })).toEqual([
    '--k6-vus: only allowed with --engine k6, not with virtual (found 2)',
    '--instances: only allowed with --engine k6, not with virtual (found 3)',
  ])
})
