/** The plan as data: JSON-able, free of secrets, and hashed the same everywhere. */
import { expect, test } from 'vitest'
import { describePlan, planHash } from '../../src/scenario/plan-data.ts'
import type { PlanOptions } from '../../src/scenario/schema/index.ts'
import { planScenario } from '../../src/scenario/schema/index.ts'

const steady = {
  name: 'steady',
  arrivals: { rate: '2/s', for: '5m' },
  inputs: [{ topic: 'bees' }, { topic: 'wasps' }],
  checks: { 'is long': () => true },
}

const documentOf = (scenario: unknown, options: Partial<PlanOptions> = {}) =>
  describePlan(planScenario(scenario, { source: 'test', ...options }))

test('functions become words, and all of it survives JSON', () => {
  const document = documentOf(steady)
  expect(document).toMatchObject({ inputs: '2 entries, in order', checks: ['is long'] })
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})

test('header values, which may be secrets, do not show', () => {
  const document = documentOf({ ...steady, headers: { 'X-Api-Key': 'hush' } })
  expect(document.http.headers).toEqual(['x-api-key'])
  expect(JSON.stringify(document)).not.toContain('hush')
})

test('a replayed schedule is told by its length, its end and its hash', () => {
  const replayed = { ...steady, arrivals: { replay: 'run' } }
  const at = (offsetsMicros: number[]) =>
    documentOf(replayed, { files: { replay: { offsetsMicros } } })
  expect(at([0, 5, 9]).arrivals).toMatchObject({ kind: 'replay', arrivals: 3, lastMicros: 9 })
  expect(planHash(at([0, 5, 9]))).not.toBe(planHash(at([0, 6, 9])))
})

test('equal plans have equal hashes, however they are written', () => {
  const document = documentOf(steady)
  const turned = Object.fromEntries(Object.entries(document).toReversed()) as typeof document
  const inSeconds = documentOf({ ...steady, arrivals: { for: '300s', rate: '2/s' } })
  expect(planHash(document)).toMatch(/^[0-9a-f]{16}$/)
  expect([turned, inSeconds].map(planHash)).toEqual([planHash(document), planHash(document)])
})

test('a changed rate, seed or speed changes the hash', () => {
  const hashes = [
    documentOf(steady),
    documentOf(steady, { set: { 'arrivals.rate': '3/s' } }),
    documentOf(steady, { seed: 43 }),
    documentOf(steady, { speed: 2 }),
  ].map(planHash)
  expect(new Set(hashes).size).toBe(hashes.length)
})
