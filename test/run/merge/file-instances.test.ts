/** What a merge of logs misses is named by its file. */
import { expect, test } from 'vitest'
import { troubledFiles } from '../../../src/run/merge.ts'

const pods = (...instances: number[][]) =>
  instances.map((held, i) => ({ path: `pod-${i + 1}.log`, instances: held }))

test('a file without a journal, and one that ends too early, are named', () => {
  expect(troubledFiles(pods([0, 2], [1, 3]), 4, [])).toEqual([])
  expect(troubledFiles(pods([0, 2], [1], []), 4, [2])).toEqual([
    'pod-1.log ends too early: instance 2 of 4',
    'pod-3.log does not hold the beginning of a journal',
  ])
})

test('at most twenty are named', () => {
  const told = troubledFiles(pods(...Array.from({ length: 30 }, () => [])), 1_000, [])
  expect(told).toHaveLength(21)
  expect(told.at(-1)).toBe('10 more are not listed')
})
