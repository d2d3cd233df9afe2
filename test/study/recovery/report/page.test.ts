/** `report.html` of a recovery test. */
import { describe, expect, test } from 'vitest'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { renderRecoveryHtml } from '../../../../src/study/recovery/report/html.ts'
import {
  disagreeing,
  empty,
  recovering,
  tipping,
  unclear,
  untriggered,
} from './sample-recoveries.ts'

const DOCUMENTS: [string, () => RecoveryDocument][] = [
  ['recovering', recovering],
  ['tipping', tipping],
  ['disagreeing', disagreeing],
  ['untriggered', untriggered],
  ['unclear', unclear],
  ['empty', empty],
]

describe.each(DOCUMENTS)('%s', (_, create) => {
  const page = renderRecoveryHtml(create())

  test('is the same for the same document', () => {
    expect(renderRecoveryHtml(create())).toBe(page)
  })

  test('holds no number that is none, and nothing from outside', () => {
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page).not.toMatch(/src="|href="(?!#section-|[a-z]+\.(?:json|md)")/)
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
  expect(renderRecoveryHtml(tipping())).toMatch(/Back after<\/dt>\s*<dd[^>]*>never</)
  expect(renderRecoveryHtml(unclear())).toMatch(/Back after<\/dt>\s*<dd[^>]*>not known</)
})

test('the trigger is shaded and named in each picture, and recovery is marked where there is one', () => {
  const page = renderRecoveryHtml(recovering())
  expect(page.match(/data-tip="trigger: hang: \{\}"/g)).toHaveLength(3)
  expect(page.match(/>back after \d/g)).toHaveLength(3)
  expect(renderRecoveryHtml(tipping())).not.toMatch(/>back after \d/)
})

test('a point stands for each size of the trigger, in each picture', () => {
  const page = renderRecoveryHtml(tipping())
  expect(page.match(/<circle/g)).toHaveLength(3 * 6)
  expect(page).toContain('7.50 s: 1 of 10')
})

test('foreign text stays text', () => {
  const page = renderRecoveryHtml(disagreeing())
  expect(page).toContain('stop &quot;&lt;crew&gt;&quot;')
  for (const each of [page, renderRecoveryHtml(untriggered())]) {
    expect(each).not.toContain('<crew>')
    expect(each).not.toContain('\u001B')
  }
})
