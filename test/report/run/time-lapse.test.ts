import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { steadyDocument } from './sample-document.ts'
import { runFile, runTerminal } from '../../support/run-shown.ts'

const REPORTS: readonly [string, (document: ResultDocument) => string][] = [
  ['the terminal', (each) => runTerminal(each, { color: false, width: 100, reportPath: null })],
  ['summary.md', (each) => runFile(each, 'summary.md')],
  ['report.html', (each) => runFile(each, 'report.html').replaceAll('\u00A0', ' ')],
  ['comment.md', (each) => runFile(each, 'comment.md')],
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
    expect(runFile(lapsed(), 'junit.xml')).toBe(runFile(steadyDocument(), 'junit.xml'))
  })
})
