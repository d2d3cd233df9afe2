import { expect, test } from 'vitest'
import type { SaturationDocument } from '../../../../src/study/saturation/document.ts'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { visitLine } from '../../../../src/study/saturation/report/report.ts'
import { saturation } from '../../../../src/study/saturation/study.ts'
import { describeStudy } from '../../reports.ts'
import {
  collapsingSaturation,
  emptySaturation,
  flatSaturation,
  limitedSaturation,
  openSaturation,
  roughSaturation,
  steepSaturation,
  stolenSaturation,
} from '../sample-saturations.ts'

const SAMPLES = {
  collapsing: collapsingSaturation,
  flat: flatSaturation,
  open: openSaturation,
  limited: limitedSaturation,
  rough: roughSaturation,
  stolen: stolenSaturation,
  empty: emptySaturation,
}

describeStudy(saturation, SAMPLES, ({ plan, trials }) =>
  trials.map((visit) => visitLine(visit, plan)),
)

test('Ctrl-C is told to end the ladder, of which the completed visits are reported', () => {
  expect(saturation.whenInterrupted).toBe('the ladder ends here; the completed visits are reported')
})

function pageOf(document: SaturationDocument): string {
  return renderPage(saturation.report(document))
}

test('a point stands for each rung in each picture, hollow where it does not count', () => {
  const page = pageOf(collapsingSaturation())
  const points = page.match(/<circle[^>]*stroke="var\(--endToEnd\)"[^>]*>/g) ?? []
  expect(points).toHaveLength(3 * 6)
  expect(points.filter((point) => point.includes('fill="var(--paper)"'))).toHaveLength(3)
  expect(page).toContain('32 connections: 40')
})

/** The points of the first path that has these attributes. */
function pathOf(page: string, attributes: string): [number, number][] {
  const [, d = ''] =
    new RegExp(`<path\\s+d="([^"]*)"\\s+fill="none"\\s+${attributes}`).exec(page) ?? []
  return [...d.matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
}

function heightAt(path: readonly [number, number][], x: number): number {
  const at = path.findIndex(([right]) => right >= x)
  const [from, to] = [path[Math.max(0, at - 1)]!, path[at]!]
  return to[0] === from[0]
    ? to[1]
    : from[1] + ((to[1] - from[1]) * (x - from[0])) / (to[0] - from[0])
}

test('the curve nowhere lies above what there would be if no answer waited for another', () => {
  // A line through the origin is bent on a logarithm: straight, the curve would lie far above it
  // between 8 and 64 connections.
  const page = pageOf(steepSaturation())
  const curve = pathOf(page, 'stroke="var\\(--endToEnd\\)"')
  const bound = pathOf(page, 'stroke="var\\(--grey\\)"[^>]*stroke-dasharray')
  expect(curve.length).toBeGreaterThan(20)
  // Down is up in a picture.
  for (const [x, y] of curve) expect(y).toBeGreaterThanOrEqual(heightAt(bound, x) - 2)
})

test('a whisker that is far longer than the curve is high does not flatten it', () => {
  const page = pageOf(roughSaturation())
  const curve = pathOf(page, 'stroke="var\\(--endToEnd\\)"')
  const highest = Math.min(...curve.map(([, y]) => y))
  // The panel of the narrowest picture is 182 high, from 220 up.
  expect(220 - highest).toBeGreaterThan(182 * 0.4)
  expect(page).not.toMatch(/M[\d.]+ -/)
})

test('names the knee where it lies', () => {
  expect(pageOf(steepSaturation()).match(/>knee 64</g)).toHaveLength(3)
  expect(pageOf(flatSaturation()).match(/>knee 8 to 16</g)).toHaveLength(3)
  expect(pageOf(roughSaturation()).match(/>knee 1 or more</g)).toHaveLength(3)
  expect(pageOf(limitedSaturation())).not.toMatch(/>knee \d/)
})
