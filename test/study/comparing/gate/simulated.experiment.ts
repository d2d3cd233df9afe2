/** What gates decide of crews whose truth is known; `bench/truth/gate.ts` says it more exactly. */
import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { Crew } from '../../../support/ci/gates.ts'
import type { Ended } from '../../../support/ci/simulated-gates.ts'
import { interleavedGate, storedGate } from '../../../support/ci/simulated-gates.ts'

const GATES = 200

function gatesOf(base: Crew, next: Crew, runs: number): Ended[] {
  const random = createRandom(7_113)
  return Array.from({ length: GATES }, (_, i) =>
    interleavedGate(base, next, runs, random.fork('gate', i)),
  )
}

const share = (gates: readonly Ended[], decision: Ended['decision']): number =>
  gates.filter((gate) => gate.decision === decision).length / GATES

test.each<[string, Crew]>([
  ['3 % noise', { noise: 0.03 }],
  ['10 % noise', { noise: 0.1 }],
  ['runs like the one before', { noise: 0.03, drift: 0.5 }],
])('equal sides rarely fail: %s', (_name, crew) => {
  // 7 and more of 200 would come in fewer than 1 of 200 such tests if 1 % were true.
  expect(share(gatesOf(crew, crew, 8), 'fail')).toBeLessThan(0.035)
})

test('equal sides rarely fail against a stored baseline, where half of a noise is carried over', () => {
  const random = createRandom(7_114)
  const crew = { noise: 0.03, drift: 0.5 }
  let failed = 0
  for (let i = 0; i < 1_000; i++) {
    if (storedGate(crew, crew, 8, random.fork('gate', i)).decision === 'fail') failed++
  }
  // 19 and more would come in fewer than 1 of 100 such tests if 1 % were true; 28 without care.
  expect(failed).toBeLessThan(19)
})

test('a stored baseline finds 10 % with 16 runs, and 15 % with 8', () => {
  const random = createRandom(7_115)
  const crew = { noise: 0.03 }
  const found = (slower: number, runs: number): number => {
    const gates = Array.from({ length: GATES }, (_, i) =>
      storedGate(crew, { ...crew, slower }, runs, random.fork(`${slower}`, i)),
    )
    return share(gates, 'fail')
  }
  expect(found(1.1, 16)).toBeGreaterThan(0.97)
  expect(found(1.15, 8)).toBeGreaterThan(0.93)
})

test('equal sides pass, and mostly before the last run', () => {
  const crew = { noise: 0.03 }
  const gates = gatesOf(crew, crew, 8)
  expect(share(gates, 'pass')).toBeGreaterThan(0.9)
  expect(gates.filter(({ runs }) => runs < 8).length / GATES).toBeGreaterThan(0.5)
})

test('10 % more time fails with 8 pairs, and 15 % with 5', () => {
  const crew = { noise: 0.03 }
  expect(share(gatesOf(crew, { ...crew, slower: 1.1 }, 8), 'fail')).toBeGreaterThan(0.93)
  const slower = gatesOf(crew, { ...crew, slower: 1.15 }, 5)
  expect(share(slower, 'fail')).toBeGreaterThan(0.9)
})

test('a regression of the margin hardly ever passes', () => {
  const crew = { noise: 0.03 }
  expect(share(gatesOf(crew, { ...crew, slower: 1.1 }, 8), 'pass')).toBeLessThan(0.035)
  const losing = { ...crew, unserved: 0.02 }
  expect(share(gatesOf(crew, losing, 8), 'pass')).toBeLessThan(0.035)
})
