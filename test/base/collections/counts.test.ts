/** Values by what they have in common. */
import { expect, test } from 'vitest'
import { counted, groupedBy } from '../../../src/base/collections/counts.ts'

test('the commonest comes first, and those that are as common stay in their order', () => {
  const values = ['once', 'twice', 'too', 'often', 'twice', 'often', 'often']
  expect(counted(values)).toEqual([
    ['often', 3],
    ['twice', 2],
    ['once', 1],
    ['too', 1],
  ])
})

test('groups stand in the order of their first values, and values in their own', () => {
  const groups = groupedBy(['ab', 'c', 'de', 'f', '', 'g'], ({ length }) => length)
  expect(groups).toEqual([
    [2, ['ab', 'de']],
    [1, ['c', 'f', 'g']],
    [0, ['']],
  ])
})
