/** Against files that people have read: run with `-u` and read the difference. */
import { describe, expect, test } from 'vitest'
import { renderReportMarkdown } from '../../../../src/report/frame/render/markdown.ts'
import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { renderReportTerminal } from '../../../../src/report/frame/render/terminal.ts'
import { studyFiles } from '../../../../src/study/frame/files.ts'
import { comparison } from '../../../../src/study/comparison/study.ts'
import { SAMPLES } from '../sample-comparisons.ts'

const GOLDEN = '../../../golden/report/comparison'

describe.each(Object.entries(SAMPLES))('%s', (name, create) => {
  test('terminal, 80 columns', async () => {
    const options = { color: false, width: 80, reportPath: 'reports/c/report.html' }
    const text = renderReportTerminal(comparison.report(create()), options)
    await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.terminal.txt`)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('summary.md and junit.xml', async () => {
    const { 'junit.xml': junit = '' } = studyFiles(comparison, create())
    await expect(renderReportMarkdown(comparison.report(create()))).toMatchFileSnapshot(
      `${GOLDEN}/${name}.summary.md`,
    )
    await expect(junit).toMatchFileSnapshot(`${GOLDEN}/${name}.junit.xml`)
  })

  test('its document follows its schema, and its page is whole', () => {
    const document = create()
    expect(comparison.schema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document)
    const page = renderReportPage(comparison.report(document))
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    expect(page).toContain('<h1>')
  })
})

test.each([
  ['slower', 'failed'],
  ['losing', 'failed'],
  ['faster', 'passed'],
  ['equal', 'passed'],
  ['alike', 'passed'],
  ['single', 'inconclusive'],
  ['invalid', 'inconclusive'],
])('a comparison that is %s ends as %s', (name, exit) => {
  expect(comparison.exit(SAMPLES[name]!())).toBe(exit)
})
