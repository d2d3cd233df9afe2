/** `report.html` of a recovery test. */
import { describe, expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { recoveryReport } from '../../../../src/study/recovery/report/report.ts'
import {
  disagreeing,
  empty,
  recovering,
  tipping,
  unclear,
  untriggered,
} from './sample-recoveries.ts'

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

describe.each(DOCUMENTS)('%s', (_, create) => {
  const page = pageOf(create())

  test('is the same for the same document', () => {
    expect(pageOf(create())).toBe(page)
  })

  test('holds no number that is none, and nothing from outside', () => {
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page).not.toMatch(/src="|href="(?!#section-|[a-z]+\.(?:json|md|xml)")/)
  })

  test('opens and closes every element', () => {
    for (const name of ['section', 'figure', 'svg', 'table', 'tr', 'td', 'dl', 'details', 'g']) {
      const opened = page.match(new RegExp(`<${name}[\\s>]`, 'g'))?.length ?? 0
      const closed = page.match(new RegExp(`</${name}\\s*>`, 'g'))?.length ?? 0
      expect([name, closed]).toEqual([name, opened])
    }
  })

  test('begins with the verdict, in words', () => {
    const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(page) ?? []
    const words = heading
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('\u00A0', ' ')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
    expect(words).toContain(create().verdict.sentence)
  })
})

test('who did not come back is told apart from what nobody knows', () => {
  expect(pageOf(tipping())).toMatch(/Back after<\/dt>\s*<dd[^>]*>never</)
  expect(pageOf(unclear())).toMatch(/Back after<\/dt>\s*<dd[^>]*>not known</)
})

test('the trigger is shaded and named in each picture, and recovery is marked where there is one', () => {
  const page = pageOf(recovering())
  expect(page.match(/data-tip="trigger: hang: \{\}"/g)).toHaveLength(3)
  expect(page.match(/>back after \d/g)).toHaveLength(3)
  expect(pageOf(tipping())).not.toMatch(/>back after \d/)
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
