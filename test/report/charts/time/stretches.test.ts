import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Series } from '../../../../src/result/document.ts'
import { FEWEST_ENDED, stretches } from '../../../../src/report/charts/time/stretches.ts'
import { steadyDocument } from '../../run/sample-document.ts'

const EDGES_MS = [100, 200, 400, 800]

/** Made once: the property below asks for hundreds. */
const { series } = steadyDocument()

function seriesOf(counts: number[][]): Series {
  return { ...series, intervalMs: 250, heat: { edgesMs: EDGES_MS, counts } }
}

const rows = fc.array(fc.array(fc.nat(9), { minLength: 3, maxLength: 3 }), { maxLength: 60 })

function ended(counts: readonly (readonly number[])[]): number {
  return counts.flat().reduce((sum, count) => sum + count, 0)
}

describe('stretches', () => {
  test('hold at least the fewest ended each, follow one another and leave no execution out', () => {
    fc.assert(
      fc.property(rows, (counts) => {
        const found = stretches(seriesOf(counts))
        const all = ended(counts)
        expect(found.reduce((sum, each) => sum + each.ended, 0)).toBe(all < FEWEST_ENDED ? 0 : all)
        let end = 0
        for (const each of found) {
          expect(each.ended).toBeGreaterThanOrEqual(FEWEST_ENDED)
          expect(each.fromMs).toBe(end)
          end = each.toMs
        }
      }),
      { seed: 20_261_121, numRuns: 200 },
    )
  })

  test('read their quantiles within the row that holds them', () => {
    fc.assert(
      fc.property(rows, (counts) => {
        for (const { p50Ms, p95Ms } of stretches(seriesOf(counts))) {
          expect(p50Ms).toBeGreaterThanOrEqual(100)
          expect(p95Ms).toBeGreaterThanOrEqual(p50Ms)
          expect(p95Ms).toBeLessThanOrEqual(800)
        }
      }),
      { seed: 20_261_121, numRuns: 200 },
    )
  })

  test('place a quantile evenly by the logarithm', () => {
    const [only] = stretches(seriesOf([[0, 20, 0]]))
    expect(only?.p50Ms).toBeCloseTo(200 * Math.SQRT2)
    expect(only?.p95Ms).toBeCloseTo(200 * 2 ** 0.95)
  })

  test('are none where nothing ended', () => {
    expect(stretches({ ...seriesOf([[], []]), heat: { edgesMs: [], counts: [[], []] } })).toEqual(
      [],
    )
  })
})
