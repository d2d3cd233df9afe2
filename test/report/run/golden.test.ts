/**
 * Terminal, Markdown and JUnit against files that people have read: run with `-u` and read the
 * difference.
 */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { renderJUnit } from '../../../src/report/run/junit.ts'
import { renderMarkdown } from '../../../src/report/run/markdown.ts'
import { renderTerminal } from '../../../src/report/run/terminal/end.ts'
import {
  emptyDocument,
  failingDocument,
  hostileDocument,
  rejectedDocument,
  steadyDocument,
  tinyDocument,
} from './sample-document.ts'
import { invalidDocument, severalDocument } from './untrusted-documents.ts'

const DOCUMENTS: Record<string, () => ResultDocument> = {
  steady: steadyDocument,
  tiny: tinyDocument,
  empty: emptyDocument,
  rejected: rejectedDocument,
  failing: failingDocument,
  invalid: invalidDocument,
  several: severalDocument,
  hostile: hostileDocument,
}

const GOLDEN = '../../golden/report'

describe.each(Object.entries(DOCUMENTS))('%s', (name, create) => {
  test('terminal, 100 columns', async () => {
    const options = { color: false, width: 100, reportPath: 'reports/steady/report.html' }
    await expect(renderTerminal(create(), options)).toMatchFileSnapshot(
      `${GOLDEN}/${name}.terminal.txt`,
    )
  })

  test('summary.md', async () => {
    await expect(renderMarkdown(create())).toMatchFileSnapshot(`${GOLDEN}/${name}.summary.md`)
  })

  test('junit.xml', async () => {
    await expect(renderJUnit(create())).toMatchFileSnapshot(`${GOLDEN}/${name}.junit.xml`)
  })
})
