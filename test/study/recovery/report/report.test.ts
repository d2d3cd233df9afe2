import { expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import type { Chart } from '../../../../src/report/charts/chart.ts'
import { trialLine } from '../../../../src/study/recovery/report/wording.ts'
import { recovery } from '../../../../src/study/recovery/study.ts'
import { chartOf } from '../../../support/charts.ts'
import { describeStudy } from '../../reports.ts'
import {
  disagreeing,
  empty,
  recovering,
  slow,
  tipping,
  unclear,
  untriggered,
} from '../sample-recoveries.ts'

describeStudy(
  recovery,
  { tipping, recovering, disagreeing, untriggered, unclear, slow, empty },
  ({ trials }) => trials.map((trial) => trialLine(trial)),
)

function pageOf(document: RecoveryDocument): string {
  return renderPage(recovery.report(document))
}

function tippingChart(point: RecoveryDocument['tipping']): Chart {
  return chartOf(recovery.report({ ...tipping(), tipping: point }), 'tipping')!
}

test('who did not come back is told apart from what nobody knows', () => {
  expect(pageOf(tipping())).toMatch(/Recovery time<\/dt>\s*<dd[^>]*>never</)
  expect(pageOf(unclear())).toMatch(/Recovery time<\/dt>\s*<dd[^>]*>unknown</)
})

test('the trigger is shaded and named in each picture, and recovery is marked where there is one', () => {
  const page = pageOf(recovering())
  expect(page.match(/data-tip="trigger: hang: \{\}"/g)).toHaveLength(3)
  expect(page.match(/>recovered after \d/g)).toHaveLength(3)
  expect(pageOf(tipping())).not.toMatch(/>recovered after \d/)
})

test('a point stands for each size of the trigger, in each picture', () => {
  const page = pageOf(tipping())
  expect(page.match(/<circle/g)).toHaveLength(3 * 6)
  expect(page).toContain('7.50 s: 1 of 10')
})

test('a cross stands for each trial that did not recover, a tick for each other, in signs too', () => {
  const { tipping: point } = tipping()
  const { panels } = tippingChart(point)
  const count = (shape: string): number =>
    panels[0]!.points!.find((each) => each.shape === shape)!.points.length
  const tipped = point!.sizes.reduce((sum, size) => sum + size.tipped, 0)
  const all = point!.sizes.reduce((sum, size) => sum + size.of, 0)
  expect({ crosses: count('cross'), ticks: count('tick') }).toEqual({
    crosses: tipped,
    ticks: all - tipped,
  })
  const page = pageOf(tipping()).replaceAll('\u00A0', ' ')
  expect(page).toContain('✗✗✗✗✗✗✗✗✗✗ ✗✗✗✗✗✗✗✗✗✗ ✗✗ (✗ does not recover)')
})

function size(sizeMs: number, tipped: number) {
  return { sizeMs, tipped, of: 10, low: 0, high: 1 }
}

test('the curve of the tipping point never falls', () => {
  const sizes = [size(1_000, 0), size(2_000, 6), size(3_000, 2), size(4_000, 10)]
  const [panel] = tippingChart({ ...tipping().tipping!, sizes }).panels
  expect(panel!.lines[0]!.points.map(({ y }) => y)).toEqual([0, 0.4, 0.4, 1])
})
