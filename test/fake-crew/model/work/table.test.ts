import { describe, expect, test } from 'vitest'
import { NumberTable, countUpTo } from '../../../../fake-crew/model/work/table.ts'

/** More than two chunks. */
const ROWS = 10_000

function filled(rows: number): NumberTable {
  const table = new NumberTable(3)
  for (let n = 0; n < rows; n++) {
    const row = table.push()
    table.set(row, 0, n)
    table.set(row, 2, -n)
  }
  return table
}

describe('a table', () => {
  test('keeps every number of every row', () => {
    const table = filled(ROWS)
    const rows = Array.from({ length: ROWS }, (_, row) => [0, 1, 2].map((n) => table.at(row, n)))
    expect(rows).toEqual(Array.from({ length: ROWS }, (_, n) => [n, 0, -n]))
  })

  test.each([-1, 5])('has no row %d when it has five', (row) => {
    const table = filled(5)
    expect(() => table.at(row, 0)).toThrow(`row ${row} of 5`)
    expect(() => table.set(row, 0, 1)).toThrow(`row ${row} of 5`)
  })

  test.each([
    [-1, 0],
    [0, 1],
    [4_999.5, 5_000],
    [5_000, 5_001],
    [ROWS, ROWS],
  ])('counts the values up to %d', (bound, count) => {
    expect(countUpTo(filled(ROWS), 0, bound)).toBe(count)
  })
})
