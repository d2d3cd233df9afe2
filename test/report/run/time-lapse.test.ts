import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { renderComment } from '../../../src/report/ci/comment.ts'
import { briefOf } from '../../../src/report/run/brief.ts'
import { renderJUnit } from '../../../src/report/run/junit.ts'
import { renderMarkdown } from '../../../src/report/run/markdown.ts'
import { renderHtml } from '../../../src/report/run/page/page.ts'
import { renderTerminal } from '../../../src/report/run/terminal/end.ts'
import { steadyDocument } from './sample-document.ts'

const REPORTS: readonly [string, (document: ResultDocument) => string][] = [
  ['the terminal', (each) => renderTerminal(each, { color: false, width: 100, reportPath: null })],
  ['summary.md', renderMarkdown],
  ['report.html', (each) => renderHtml(each).replaceAll('\u00A0', ' ')],
  ['comment.md', (each) => renderComment(briefOf(each))],
]

function lapsed(): ResultDocument {
  const document = steadyDocument()
  return { ...document, run: { ...document.run, speed: 60 } }
}

function figures(text: string): string[] {
  return text.match(/\d+(?:[.,]\d+)*/g) ?? []
}

describe('a time-lapse', () => {
  test.each(REPORTS)('is named once in %s', (_, render) => {
    expect(render(lapsed()).match(/one second stands for a minute/g)).toHaveLength(1)
  })

  test.each(REPORTS)('changes no figure of %s', (_, render) => {
    expect(figures(render(lapsed()))).toEqual(figures(render(steadyDocument())))
  })

  test('changes nothing of junit.xml', () => {
    expect(renderJUnit(lapsed())).toBe(renderJUnit(steadyDocument()))
  })
})
