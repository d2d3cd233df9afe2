/** Each renderer on one report that has everything: run with `-u`, and read the difference. */
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { renderTerminal } from '../../../src/report/frame/render/terminal.ts'
import { studyFiles } from '../../../src/study/frame/conduct/study-folder.ts'
import type { StudyDocument } from '../../../src/study/frame/envelope.ts'
import { richReport } from './rich-report.ts'

const GOLDEN = '../../golden/report/rich'
const sample = { name: 'sample', report: richReport }
const FILES = studyFiles(sample, {} as StudyDocument)

function onTerminal(color: boolean, width: number): string {
  const options = { color, width, reportPath: 'reports/sample/report.html' }
  return renderTerminal(richReport(), options)
}

test.each(['summary.md', 'comment.md', 'junit.xml'])('%s', async (name) => {
  await expect(FILES[name]).toMatchFileSnapshot(`${GOLDEN}.${name}`)
})

test('report.html, but for style and script', async () => {
  const page = FILES['report.html']!.replaceAll(/<(style|script)>.*?<\/\1>/gs, '<$1></$1>')
  await expect(page).toMatchFileSnapshot(`${GOLDEN}.report.html`)
})

test('a terminal of 80 columns', async () => {
  await expect(onTerminal(false, 80)).toMatchFileSnapshot(`${GOLDEN}.terminal.txt`)
})

test('colour repeats what words say', () => {
  const coloured = onTerminal(true, 80)
  expect(stripVTControlCharacters(coloured)).toBe(onTerminal(false, 80))
  expect(coloured).toContain('\u001B[1;33mNOT SURE\u001B[0m')
  expect(coloured).toContain('\u001B[31mmissed\u001B[0m')
  expect(coloured).toContain('\u001B[31m✗ missed\u001B[0m')
  expect(coloured).toContain('\u001B[2m  Judged by the whole interval.\u001B[0m')
})
