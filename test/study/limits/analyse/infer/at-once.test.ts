import { expect, test } from 'vitest'
import type { Observed } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { mostAtOnce } from '../../../../../src/study/limits/analyse/infer/reasons.ts'

type Request = readonly [sentMs: number, receivedMs: number, answer: Observed['answer']]

function of(...requests: readonly Request[]) {
  return mostAtOnce(
    requests.map(([sentMs, receivedMs, answer]) => {
      return { sentMs, receivedMs, answer, status: answer === 'accepted' ? 200 : 429, headers: {} }
    }),
  )
}

const TWO: readonly Request[] = [
  [0, 100, 'accepted'],
  [0, 100, 'accepted'],
]

test('each refused request met the two that were let in', () => {
  expect(of(...TWO, [0, 100, 'refused'], [50, 150, 'refused'])).toBe(2)
})

test('one that was refused when nothing was in flight met a limit of another kind', () => {
  const refused = Array.from({ length: 30 }, (): Request => [50, 150, 'refused'])
  expect(of(...TWO, ...refused)).toBe(2)
  expect(of(...TWO, ...refused, [100, 110, 'refused'])).toBeNull()
})

test('where two were in flight together, requests that met one of them were not refused by that', () => {
  const one: readonly Request[] = [
    [200, 300, 'accepted'],
    [250, 350, 'refused'],
  ]
  expect(of(...TWO, [50, 150, 'refused'], ...one)).toBeNull()
})

test('a few of the refused may have arrived a little later than the answer left', () => {
  const refused = Array.from({ length: 9 }, (): Request => [50, 150, 'refused'])
  const late: readonly Request[] = [
    [95, 195, 'accepted'],
    [102, 202, 'refused'],
  ]
  expect(of(...TWO, ...refused, ...late)).toBe(2)
  expect(of(...TWO, ...refused.slice(0, 8), ...late)).toBeNull()
})

test('without a refusal no limit is needed', () => {
  expect(of(...TWO)).toBeNull()
})
