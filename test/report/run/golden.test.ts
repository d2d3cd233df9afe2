/**
 * A run's reports: run with `-u`, and read the difference. One run that failed is pinned in each
 * medium, and every other in what a terminal shows of it.
 */
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { junitMistakes } from '../../support/ci/junit-10.ts'
import {
  emptyDocument,
  failingDocument,
  hostileDocument,
  invalidDocument,
  rejectedDocument,
  severalDocument,
  steadyDocument,
  tinyDocument,
} from './sample-document.ts'
import { runFile, runTerminal } from '../../support/run-shown.ts'

const DOCUMENTS: Record<string, () => ResultDocument> = {
  failing: failingDocument,
  steady: steadyDocument,
  tiny: tinyDocument,
  empty: emptyDocument,
  rejected: rejectedDocument,
  invalid: invalidDocument,
  several: severalDocument,
  hostile: hostileDocument,
}

const GOLDEN = '../../golden/report/run'

test.each([
  ['summary.md', (each) => runFile(each, 'summary.md')],
  ['junit.xml', (each) => runFile(each, 'junit.xml')],
  ['comment.md', (document: ResultDocument) => runFile(document, 'comment.md')],
])('%s of a run that failed', async (name, render) => {
  await expect(render(failingDocument())).toMatchFileSnapshot(`${GOLDEN}.${name}`)
})

test('a terminal of 100 columns', async () => {
  const options = { color: false, width: 100, reportPath: 'reports/steady/report.html' }
  const texts = Object.entries(DOCUMENTS).map(
    ([name, create]) => `==== ${name}\n${runTerminal(create(), options)}`,
  )
  await expect(texts.join('\n')).toMatchFileSnapshot(`${GOLDEN}.terminal.txt`)
})

test.each(Object.entries(DOCUMENTS))('Jenkins accepts junit.xml of a run: %s', (_, create) => {
  expect(junitMistakes(runFile(create(), 'junit.xml'))).toEqual([])
})
