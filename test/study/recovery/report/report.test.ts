import { expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import { trialLine } from '../../../../src/study/recovery/report/words.ts'
import { recovery } from '../../../../src/study/recovery/study.ts'
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
