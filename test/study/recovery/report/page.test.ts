/** `report.html` of a recovery test. */
import { expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { recoveryReport } from '../../../../src/study/recovery/report/report.ts'
import { describePages } from '../../pages.ts'
import {
  disagreeing,
  empty,
  recovering,
  tipping,
  unclear,
  untriggered,
} from '../sample-recoveries.ts'

function pageOf(document: RecoveryDocument): string {
  return renderReportPage(recoveryReport(document))
}

const DOCUMENTS: [string, () => RecoveryDocument][] = [
  ['recovering', recovering],
  ['tipping', tipping],
  ['disagreeing', disagreeing],
  ['untriggered', untriggered],
  ['unclear', unclear],
  ['empty', empty],
]

describePages(DOCUMENTS, pageOf)

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

test('foreign text stays text', () => {
  const page = pageOf(disagreeing())
  expect(page).toContain('stop &quot;&lt;crew&gt;&quot;')
  for (const each of [page, pageOf(untriggered())]) {
    expect(each).not.toContain('<crew>')
    expect(each).not.toContain('\u001B')
  }
})
