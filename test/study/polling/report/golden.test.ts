/** Against files that people have read: run with `-u` and read the difference. */
import { describe, expect, test } from 'vitest'
import { renderReportMarkdown } from '../../../../src/report/frame/render/markdown.ts'
import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { renderReportTerminal } from '../../../../src/report/frame/render/terminal.ts'
import { studyFiles } from '../../../../src/study/frame/files.ts'
import type { PollingDocument } from '../../../../src/study/polling/document.ts'
import { pollingSchema } from '../../../../src/study/polling/document.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { describePages } from '../../pages.ts'
import { answered, impossible, interrupted, lost, promised, tooFew } from '../sample-pollings.ts'

const DOCUMENTS: [string, () => PollingDocument][] = [
  ['answered', answered],
  ['promised', promised],
  ['impossible', impossible],
  ['too-few', tooFew],
  ['interrupted', interrupted],
  ['target-lost', lost],
]
const GOLDEN = '../../../golden/report/polling'

function terminalOf(document: PollingDocument): string {
  const options = { color: false, width: 80, reportPath: 'reports/polling/report.html' }
  return renderReportTerminal(polling.report(document), options)
}

describe.each(DOCUMENTS)('%s', (name, create) => {
  test('the sample is a document', () => {
    expect(pollingSchema.safeParse(create()).error).toBeUndefined()
  })

  test('terminal, 80 columns', async () => {
    const shown = terminalOf(create())
    await expect(shown).toMatchFileSnapshot(`${GOLDEN}/${name}.terminal.txt`)
    const tooLong = shown.split('\n').filter((line) => line.length > 80)
    expect(tooLong).toEqual([])
  })

  test('summary.md', async () => {
    await expect(renderReportMarkdown(polling.report(create()))).toMatchFileSnapshot(
      `${GOLDEN}/${name}.summary.md`,
    )
  })

  test('junit.xml', async () => {
    await expect(studyFiles(polling, create())['junit.xml']).toMatchFileSnapshot(
      `${GOLDEN}/${name}.junit.xml`,
    )
  })
})

describePages(DOCUMENTS, (document) => renderReportPage(polling.report(document)))

test('the page has the settings to paste, a point for each strategy, and no foreign markup', () => {
  const page = renderReportPage(polling.report(answered()))
  expect(page).toContain('polling: { fixed: &#39;9.14s&#39;, initialDelay: &#39;27.1s&#39; },')
  // Three on the front, today's and the recommended one, in two panels.
  expect(new Set(page.match(/data-tip="[^"]* polls, [^"]*"/g)).size).toBe(2 * 4)
  expect(page).toContain('function nextWait(')
  expect(page).toContain('def next_wait(')
  const hostile = renderReportPage(polling.report(tooFew()))
  expect(hostile).not.toContain('<script>alert')
  expect(hostile).not.toContain('\u001B')
})

test('the page says by which executions fitted strategies are judged', () => {
  const page = renderReportPage(polling.report(answered()))
  expect(page).toContain('by executions that they were not fitted to; from 1,000 on, by all')
})

test('the terminal names the strategies that it compares', () => {
  const shown = terminalOf(promised())
  expect(shown).toMatch(/today +exponential: /)
  expect(shown).toMatch(/shorter +initial delay, then fixed: after 27\.1 s/)
})

test('the recommended strategy has a shape of its own, so that no colour is needed to find it', () => {
  const page = renderReportPage(polling.report(answered()))
  const shapes = [...page.matchAll(/<(circle|path)\s[^>]*data-tip="([^"]*) polls, [^"]*"/g)]
  const own = shapes.filter(([, shape]) => shape === 'path')
  expect(own.map(([, , tip]) => tip)).toEqual(
    Array(own.length).fill(expect.stringContaining('7.55')),
  )
  expect(own.length).toBeGreaterThan(0)
  expect(shapes.length).toBeGreaterThan(own.length)
  expect(page).toContain('The recommended strategy is the green diamond')
})
