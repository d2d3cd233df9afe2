/** How often each value is there. */
import { expect, test } from 'vitest'
import { counted } from '../../../src/base/collections/counts.ts'

test('the commonest comes first, and those that are as common stay in their order', () => {
  const values = ['once', 'twice', 'too', 'often', 'twice', 'often', 'often']
  expect(counted(values)).toEqual([
    ['often', 3],
    ['twice', 2],
    ['once', 1],
    ['too', 1],
  ])
})
