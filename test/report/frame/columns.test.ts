import { expect, test } from 'vitest'
import { columns } from '../../../src/report/frame/columns.ts'

test('numbers, counts and a yes or no end at one place, and units stand beside them', () => {
  const rows = ['6.25 min', '0.5 %', '1,200', 'yes', 'too few'].map((cell) => [cell, '|'])
  expect(columns(rows, ['unit', 'left'])).toEqual([
    ' 6.25 min  |',
    '  0.5 %    |',
    '1,200      |',
    '  yes      |',
    '  too few  |',
  ])
})
