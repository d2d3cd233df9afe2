import { marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { renderComment } from '../../../src/report/frame/render/comment.ts'
import { renderMarkdown } from '../../../src/report/frame/render/markdown.ts'
import { failingDocument, hostileDocument } from '../run/sample-document.ts'
import { hostileReport, LIVE_IN_MARKDOWN, withoutCode } from './hostile.ts'
import { runFile } from '../../support/run-shown.ts'

describe('comment.md', () => {
  test('of a run has what is not met in its table, and nothing else', () => {
    const rows = runFile(failingDocument(), 'comment.md')
      .match(/^\| .*/gm)!
      .slice(2)
    expect(rows).toHaveLength(5)
    for (const row of rows) expect(row).toMatch(/^\| \*\*✗ missed\*\* \|/)
  })

  test('stays below 64 kB, and says how many rows are left out', () => {
    const text = renderComment(hostileReport())
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64_000)
    expect(text).toMatch(/^\d+ more rows in summary\.md$/m)
    expect(text).toContain('and 41 more')
  })
})

const HOSTILE: [string, () => string][] = [
  ['the comment on a study', () => renderComment(hostileReport())],
  ['the comment on a run', () => runFile(hostileDocument(), 'comment.md')],
  ['the summary of a study', () => renderMarkdown(hostileReport(5))],
]

test.each(HOSTILE)('%s neutralises what a target says', (_, render) => {
  const text = withoutCode(render())
  expect(LIVE_IN_MARKDOWN.map((sign) => sign.exec(text)?.[0] ?? null)).toEqual(
    LIVE_IN_MARKDOWN.map(() => null),
  )
})

/** What crewload itself writes: no link, no image, nothing that a target could add. */
const ELEMENTS = [
  'code',
  'h2',
  'h3',
  'li',
  'p',
  'strong',
  'sub',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
]

test.each(HOSTILE)('%s, made into a page, has no element of a target', async (_, render) => {
  const page = await marked.parse(render(), { gfm: true })
  const found = new Set([...page.matchAll(/<([a-z]\w*)/g)].map(([, name = '']) => name))
  expect(ELEMENTS).toEqual(expect.arrayContaining([...found]))
  expect(found.size).toBeGreaterThan(9)
})
