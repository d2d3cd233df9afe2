/** The levels of several looks add up to one level, however many there are. */
import { describe, expect, test } from 'vitest'
import { looksOf } from '../../../../src/result/statistics/comparing/levels.ts'

describe('looks', () => {
  test.each([3, 4, 5, 8, 9, 16, 100])('at up to %i observations spend the whole level', (most) => {
    const looks = looksOf(most, 3, 0.01)
    expect(looks.reduce((sum, { level }) => sum + level, 0)).toBeCloseTo(0.01, 12)
    expect(looks.at(-1)!.at).toBe(most)
    expect(Math.min(...looks.map(({ at }) => at))).toBeGreaterThanOrEqual(3)
    expect(looks.length).toBeLessThanOrEqual(3)
  })

  // Twice the normal tail beyond 2.5758 / sqrt(part), for two thirds and all of it as for a half.
  test('spend as O’Brien and Fleming’s boundaries do', () => {
    const looks = looksOf(8, 3, 0.01)
    expect(looks.map(({ at }) => at)).toEqual([4, 6, 8])
    expect(looks[0]!.level).toBeCloseTo(0.000_269_8, 6)
    expect(looks[0]!.level + looks[1]!.level).toBeCloseTo(0.002_936, 5)
  })

  test('one look has all of it', () => {
    expect(looksOf(3, 3, 0.01)).toEqual([{ at: 3, level: expect.closeTo(0.01, 12) }])
  })
})
