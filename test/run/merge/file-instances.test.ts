/** What a merge of logs misses is named by file and Job: pods count from 1, instances from 0. */
import { describe, expect, test } from 'vitest'
import { troubledPlaces } from '../../../src/run/merge.ts'

const pods = (...instances: number[][]) =>
  instances.map((held, i) => ({ path: `pod-${i + 1}.log`, instances: held }))

describe('what a merge misses', () => {
  test('is nothing where all is there', () => {
    expect(troubledPlaces({ files: pods([0, 2], [1, 3]), of: 4, unfinished: [] })).toEqual([])
  })

  test('is told by Job, where pods have one instance each', () => {
    const files = pods([0], [1], [3])
    expect(troubledPlaces({ files, of: 4, unfinished: [3] })).toEqual([
      'pod-3.log ends too early: instance 3 of 4 (the Job whose name ends in -4)',
      'no file holds instance 2 of 4 (the Job whose name ends in -3)',
    ])
  })

  test('is told by Job, where pods have several that k6 dealt out in turn', () => {
    const files = pods([0, 3], [1])
    expect(troubledPlaces({ files, of: 6, unfinished: [0] })).toEqual([
      'pod-1.log ends too early: instance 0 of 6 (the Job whose name ends in -1)',
      'no file holds instances 2 and 5 of 6 (the Job whose name ends in -3)',
      'no file holds instance 4 of 6 (the Job whose name ends in -2)',
    ])
  })

  test('is told without a Job, where the files are not those of pods', () => {
    const files = pods([0, 1], [])
    expect(troubledPlaces({ files, of: 4, unfinished: [] })).toEqual([
      'pod-2.log does not hold the beginning of a journal',
      'no file holds instances 2 and 3 of 4',
    ])
  })

  test('is told twenty times at most', () => {
    const told = troubledPlaces({ files: pods([0]), of: 1_000, unfinished: [] })
    expect(told).toHaveLength(21)
    expect(told.at(-1)).toBe('979 more are not listed')
  })
})
